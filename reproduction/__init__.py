"""The study: papers, their data sets, tables and figures, tuning, translation, the report's page.

It is in the clone only. Its import adds its parts, such as the source `scenes` and the text
`trees`, to the library's.
"""

from groundvec.config import parts, schema

if __name__ not in parts.PACKAGES:
    parts.PACKAGES.append(__name__)
    schema.configuration_schema.cache_clear()  # it may have been read without these parts
