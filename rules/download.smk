"""Public files, from a mirror or from their public addresses, checked and unpacked."""

ARCHIVES = {
    "wordnet/wordnet": "wordnet/wordnet.zip",
    **sources.archives(),
    **{
        f"sts/{folder}": f"sts/{archive}"
        for folder, archive in (PUBLIC | MIRRORED).items()
    },
}


rule download:
    input:
        sources=ancient(project_file("resources/sources.yaml")),
    output:
        "data/{file}",
    log:
        "results/logs/download/{file}.log",
    wildcard_constraints:
        file="|".join(map(re.escape, SOURCES)),
    localrule: True
    conda:
        ENVIRONMENT
    # A resource, because as a param another mirror would download everything again.
    resources:
        origin=plan.origin,
    message:
        "Get {output} from {resources.origin}."
    shell:
        'python "$GROUNDVEC/scripts/download.py" --name {wildcards.file:q} --sources {input.sources:q} '
        "--output {output:q} --log {log:q}"


rule unpack:
    input:
        lambda wildcards: f"data/{ARCHIVES[wildcards.folder]}",
    output:
        directory("data/{folder}"),
    log:
        "results/logs/unpack/{folder}.log",
    wildcard_constraints:
        folder="|".join(ARCHIVES),
    localrule: True
    conda:
        ENVIRONMENT
    shell:
        'python "$GROUNDVEC/scripts/unpack.py" --archive {input:q} --output {output:q} --log {log:q}'


# The images of a page, which have no archive.
rule pascal1k_images:
    input:
        # `ancient`: a corrected sentence on the page must not download a thousand images again.
        page=ancient("data/pascal1k/index.html"),
        sources=ancient(project_file("resources/sources.yaml")),
    output:
        directory("data/pascal1k/images"),
    log:
        "results/logs/download/pascal1k/images.log",
    localrule: True
    conda:
        ENVIRONMENT
    shell:
        'python "$GROUNDVEC/scripts/pascal1k_images.py" --page {input.page:q} --sources {input.sources:q} '
        "--output {output:q} --log {log:q}"
