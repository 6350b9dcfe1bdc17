#!/bin/sh
# In the installed system, before its first start: who may log in, its host key, and the phone-home.
set -eu
user=$username
if ! id "$$user" >/dev/null 2>&1; then useradd --create-home --shell /bin/bash "$$user"; fi
home=$$(getent passwd "$$user" | cut -d: -f6)
mkdir -p "$$home/.ssh"
printf '%s\n' $authorized_key > "$$home/.ssh/authorized_keys"
chmod 700 "$$home/.ssh"; chmod 600 "$$home/.ssh/authorized_keys"
chown -R "$$user:" "$$home/.ssh"
if command -v restorecon >/dev/null 2>&1; then restorecon -R "$$home/.ssh" || true; fi
if [ "$$user" != root ]; then
  printf '%s ALL=(ALL) NOPASSWD:ALL\n' "$$user" > /etc/sudoers.d/rackside
  chmod 440 /etc/sudoers.d/rackside
fi
rm -f /etc/ssh/ssh_host_*
umask 077
printf '%s' $host_key_private > /etc/ssh/ssh_host_ed25519_key
umask 022
printf '%s\n' $host_key_public > /etc/ssh/ssh_host_ed25519_key.pub
mkdir -p /etc/ssh/sshd_config.d
printf 'PasswordAuthentication no\nHostKey /etc/ssh/ssh_host_ed25519_key\n' > /etc/ssh/sshd_config.d/10-rackside.conf
printf '%s\n' $hostname > /etc/hostname
install -d -m 700 /var/lib/rackside
cat > /var/lib/rackside/phone-home <<'END'
#!/bin/sh
key=$$(cut -d' ' -f1,2 /etc/ssh/ssh_host_ed25519_key.pub)
for try in 1 2 3 4 5 6 7 8 9 10; do
  if curl -fsS -m 30 --data-urlencode "pub_key_ed25519=$$key" --data-urlencode "hostname=$$(hostname)" $phone_home; then
    systemctl disable rackside-phone-home
    rm -f /var/lib/rackside/phone-home /etc/systemd/system/rackside-phone-home.service
    exit 0
  fi
  sleep $$((try * 3))
done
exit 1
END
chmod 700 /var/lib/rackside/phone-home
cat > /etc/systemd/system/rackside-phone-home.service <<'END'
[Unit]
Description=Tell Rackside that this machine is installed
Wants=network-online.target
After=network-online.target ssh.service sshd.service
[Service]
Type=oneshot
ExecStart=/bin/sh /var/lib/rackside/phone-home
[Install]
WantedBy=multi-user.target
END
systemctl enable rackside-phone-home
