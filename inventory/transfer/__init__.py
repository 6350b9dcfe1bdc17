"""Files of records of every kind, in and out: CSV, YAML and JSON, out also XLSX. docs/import-export.md is the guide."""
