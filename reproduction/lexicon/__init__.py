"""The words that a search maps to classes of ImageNet: from WordNet, and a German table."""
