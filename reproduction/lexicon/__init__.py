"""The words by which a search finds classes of ImageNet: from WordNet, and a German table."""
