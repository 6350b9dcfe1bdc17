"""One role on some machines by Ansible: what it is told of them, the private folder, the program, what it reports."""
