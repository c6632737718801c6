"""The study: papers, their tables and figures, drawn scenes, translation, and the report's page.

It is in the clone only. Its import adds its parts, such as the source `scenes`, to the library's.
"""

from groundvec.config import parts

if __name__ not in parts.PACKAGES:
    parts.PACKAGES.append(__name__)
