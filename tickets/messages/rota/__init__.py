"""Who is on call: `shifts` reads the text of a calendar, `calendars` fetches it."""
