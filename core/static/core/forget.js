"use strict";
// At a lock screen nobody is signed in. The dashboard, which works without reception as who was signed in last, forgets
// that person, and when the tablet was touched.
localStorage.removeItem("rackside.me");
localStorage.removeItem("rackside.touched");
