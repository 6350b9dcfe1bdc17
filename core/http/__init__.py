"""What HTTP promises to a client of the API: entity tags, conditional writes, safe retries, chosen fields, a schema."""
