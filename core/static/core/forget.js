"use strict";
// Who stands before a lock screen is nobody yet: the dashboard, which works without reception as who was signed in last,
// forgets that person.
localStorage.removeItem("rackside.me");
localStorage.removeItem("rackside.touched");
