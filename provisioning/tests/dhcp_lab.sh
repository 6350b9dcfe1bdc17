# Run by `unshare --net`: a boot server with our dnsmasq, a machine that is busybox, and perhaps a second DHCP server.
# The machine's network is another one, behind a bridge; all of it ends with this script.
# usage: dhcp_lab.sh FOLDER alone|second|no_offer|tftp_shut|tftp_loss COMMAND...
set -eu
folder=$1 kind=$2
shift 2
mac=02:00:00:00:00:01
pids=
trap 'kill $pids 2>/dev/null || true' EXIT
apart() { unshare --net sleep 300 & apart=$!; pids="$pids $apart"; sleep 0.3; }
join() { # a network card in the network of a process, on the bridge
  ip link add "$2" type veth peer name "$3"
  ip link set "$3" netns "$1"
  ip link set "$2" up master br0
  nsenter -t "$1" -n ip link set lo up
  nsenter -t "$1" -n ip link set "$3" up
}
serve() { # process, configuration
  nsenter -t "$1" -n dnsmasq --keep-in-foreground --no-ping "--conf-file=$folder/$2.conf" --user=root --pid-file= \
    "--dhcp-leasefile=$folder/$2.leases" &
  pids="$pids $!"
}
ip link set lo up
ip link add br0 type bridge forward_delay 0
ip link set br0 up
apart; ours=$apart; join $ours o0 boot0
nsenter -t $ours -n ip addr add 10.77.0.1/24 dev boot0
apart; machine=$apart; join $machine m0 eth0
nsenter -t $machine -n ip link set eth0 address $mac
serve $ours own
if [ "$kind" = second ]; then
  apart; other=$apart; join $other s0 eth0
  nsenter -t $other -n ip addr add 10.77.0.66/24 dev eth0
  serve $other other
fi
ours_drops() { nsenter -t $ours -n iptables -A "$@" -j DROP; }
case $kind in
  no_offer) ours_drops OUTPUT -p udp --sport 67 ;;
  tftp_shut) ours_drops INPUT -p udp --dport 69 ;;
  tftp_loss) ours_drops OUTPUT -p udp --sport 1024:65535 --dport 1024:65535 ;;
esac
sleep 1
cat > "$folder/lease.sh" <<'END'
#!/bin/sh
[ "$1" = bound ] || exit 0
/usr/sbin/ip addr add "$ip/$mask" dev "$interface" || /sbin/ip addr add "$ip/$mask" dev "$interface"
END
chmod 755 "$folder/lease.sh"
nsenter -t $machine -n busybox udhcpc -i eth0 -q -n -f -t 3 -T 3 -s "$folder/lease.sh" || true
nsenter -t $machine -n timeout 25 busybox tftp -g -r ipxe.efi -l "$folder/loaded" 10.77.0.1 || true
if [ $# -gt 0 ]; then nsenter -t $ours -n "$@" > "$folder/said" 2>&1 || echo "exit $?" >> "$folder/said"; fi
