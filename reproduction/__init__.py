"""The study: papers, their data sets, tables and figures, tuning, translation, the report's page.

It is in the clone only. Its import adds its parts, such as the source `scenes` and the text
`trees`, and the keys of an experiment's configuration to the library's.
"""

from groundvec import provenance
from groundvec.config import schema
from reproduction import configuration

PLUMBING = ("arguments", "configuration", "schemas")  # see `groundvec.provenance.PLUMBING`

if __name__ not in provenance.PACKAGES:
    provenance.PACKAGES.append(__name__)
    provenance.PLUMBING += [f"{__name__}.{module}." for module in PLUMBING]
    schema.EXTENSIONS.append(configuration.extend)
    schema.configuration_schema.cache_clear()  # it may have been read without these parts
