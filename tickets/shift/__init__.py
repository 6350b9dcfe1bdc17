"""What people and shifts keep: favourites, saved views, notes to the next shift, what happened since one began."""
