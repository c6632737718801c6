"""Descriptions that programs wrote are checked as jsonschema would check them."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from groundvec.config.checks import find_mistake
from groundvec.model.folder import MODEL
from tests.support.examples import description
from tests.support.tables import cells

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 5) | st.floats(-2, 3) | st.sampled_from("abé"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=8,
)
SCHEMAS = yaml.safe_load("""
    - {type: integer, minimum: 0, maximum: 3}
    - {type: [number, "null"], exclusiveMinimum: 0, exclusiveMaximum: 2}
    - {enum: [0, a, null]}
    - {type: array, minItems: 1, maxItems: 2, items: {type: boolean}}
    - {type: object, required: [a], minProperties: 1, maxProperties: 2}
    - {type: object, properties: {a: {type: string, pattern: "^[ab]$"}}}
    - {properties: {a: {multipleOf: 2}}, additionalProperties: false}
    - {additionalProperties: {type: array, uniqueItems: true}}
""")


@given(JSON, st.sampled_from(SCHEMAS))
def test_a_value_is_refused_where_jsonschema_refuses_it(value, schema):
    # To jsonschema 2.0 is an integer, and equals 2; a program writes 2.
    floats = str(value).count(".")
    if not floats:
        assert bool(find_mistake(value, schema)) != Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize(
    "change, mistake",
    cells("""
    {languages: [en, en]}                 | languages: ['en', 'en'] has non-unique elements
    {similarity: cos}                     | similarity: 'cos' is not one of
    {encoder: {name: bag, size: 8, x: 1}} | encoder: ('x' was unexpected)
    {image: {dropout: .nan}}              | image.dropout: nan is not of type 'number'
    {unknown: 1}                          | it: ('unknown' was unexpected)
    """),
)
def test_a_description_is_checked_with_the_options_of_its_parts(change, mistake):
    described = description()
    schema = MODEL["properties"]["description"]
    assert find_mistake(described, schema) == ""
    changed = described | yaml.safe_load(change)
    assert find_mistake(changed, schema).startswith(mistake)


def test_the_place_of_a_mistake_is_named():
    content = {"bank": {"centers": 0, "inverse_temperature": 1, "sha256": "0" * 64}}
    schema = {"properties": MODEL["properties"]}
    assert find_mistake(content, schema) == "bank.centers: 0 is less than the minimum of 1"
