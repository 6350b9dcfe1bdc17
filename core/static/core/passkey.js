// Shows how to sign in with a passkey where the browser can: over HTTPS, or on this machine.
if (window.PublicKeyCredential) for (const hidden of document.querySelectorAll("[data-passkey]")) hidden.hidden = false;
