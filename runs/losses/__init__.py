"""What failures of training runs cost."""
