"""Long work in the background, with progress that others see while its transaction is still open."""
