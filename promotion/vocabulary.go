package promotion

import "slices"

// StepClass says who runs a step.
type StepClass string

// The classes.
const (
	ClassEdit   StepClass = "edit"   // edits files of the workspace; gitops/step
	ClassGit    StepClass = "git"    // works on commits and branches; gitops
	ClassGitHub StepClass = "github" // works on pull requests; handlers/ghapi
)

// Type is the type of a config value.
type Type string

// The types. Any value may be an expression instead, unless the field is Literal.
const (
	TypeString Type = "string"
	TypeInt    Type = "integer"
	TypeBool   Type = "boolean"
	TypeScalar Type = "scalar" // string, number, boolean or null
	TypeList   Type = "list"
	TypeObject Type = "object"
)

// Form is a form that a text must have.
type Form string

// The forms.
const (
	FormPattern  Form = "pattern"  // a regular expression (RE2)
	FormDocument Form = "document" // an expression over the keys of a file, without delimiters
	FormDuration Form = "duration" // 30s, 5m, 1h
	// FormRepository is the address of a repository, see ParseRepoURL.
	FormRepository Form = "repository"
)

// Field is one key of a step's config.
type Field struct {
	Name     string
	Type     Type
	Required bool
	Doc      string   // one sentence, for help and for the editor schema
	Enum     []string // allowed values; empty: all
	Items    *Field   // of a list
	Fields   []Field  // of an object
	// OneOf are groups of keys of this object of which at most one may be given.
	OneOf [][]string
	// Exactly are keys of this object of which one must be given, and only one.
	Exactly []string
	// Form is what a text must be, where that can be told before it is used; "": any.
	Form  Form
	Least int // of an integer; 0: any
	Most  int // of an integer; 0: any
	// Refused is why a key that Kargo has must not say anything here, and what to do
	// in its place; empty: it may. False, an empty text and an empty list say nothing.
	Refused string
	// MayBeEmpty lets a required text be empty.
	MayBeEmpty bool
	// Open lets an object have other keys too, with values of any type; a required
	// one must have some.
	Open bool
}

// StepKind describes a step that a config may use.
type StepKind struct {
	Uses   string
	Class  StepClass
	Doc    string
	Config Field // an object
}

// Kinds are the steps that this version runs, sorted by name. Names, keys and
// outputs are those that Kargo documents, so that its examples can be pasted:
// https://docs.kargo.io/user-guide/reference-docs/promotion-steps
var Kinds = []StepKind{
	{Uses: "compose-output", Class: ClassEdit, Doc: "Give outputs composed of those of other steps.", Config: Field{Type: TypeObject, Open: true}},
	{Uses: "copy", Class: ClassEdit, Doc: "Copy a file or a folder.", Config: object(
		Field{Name: "inPath", Type: TypeString, Required: true, Doc: "What to copy: a file or a folder."},
		Field{Name: "outPath", Type: TypeString, Required: true, Doc: "Where to. Of a folder, the contents are copied over what is there."},
		Field{Name: "ignore", Type: TypeString, Doc: "Patterns in the form of .gitignore; what they match is not copied."},
	)},
	{Uses: "delete", Class: ClassEdit, Doc: "Delete files and folders.", Config: Field{Type: TypeObject, Exactly: []string{"path", "paths"}, Fields: []Field{
		{Name: "path", Type: TypeString, Doc: "The file or folder to delete."},
		{Name: "paths", Type: TypeList, Doc: "Several of them.", Items: &Field{Type: TypeString, Required: true}},
		{Name: "pathsAreGlobs", Type: TypeBool, Doc: "Take them for patterns with *, **, ?, [] and {}; default: as they stand."},
		{Name: "strict", Type: TypeBool, Doc: "Fail where nothing is there, or a pattern matches nothing."},
	}}},
	{Uses: "fail", Class: ClassEdit, Doc: "Fail the promotion; best with an `if`.", Config: object(
		Field{Name: "message", Type: TypeString, Doc: "Why, for those who read it."},
	)},
	{Uses: "file-write", Class: ClassEdit, Doc: "Write a whole file.", Config: object(
		Field{Name: "path", Type: TypeString, Required: true, Doc: "The file."},
		Field{Name: "contents", Type: TypeString, Required: true, MayBeEmpty: true, Doc: "What it shall hold; may be empty."},
		Field{Name: "overwrite", Type: TypeBool, Doc: "Replace a file that is there; default: fail."},
		Field{Name: "permissions", Type: TypeString, Enum: []string{"0644", "0664", "0640", "0660", "0600", "0444", "0440", "0400"},
			Doc: "Given, the file is not executable afterwards, which is all that git keeps; default as it is, or not."},
	)},
	{Uses: "git-clear", Class: ClassEdit, Doc: "Delete all files of a checkout.", Config: object(
		Field{Name: "path", Type: TypeString, Required: true, Doc: "The checkout."},
	)},
	{Uses: "git-clone", Class: ClassGit, Doc: "Mount commits of this repository, or of another one to read, in the workspace.", Config: cloneConfig()},
	{Uses: "git-commit", Class: ClassGit, Doc: "Commit what the steps changed.", Config: commitConfig()},
	{Uses: "git-merge-pr", Class: ClassGitHub, Doc: "Merge the pull request as soon as gates and GitHub allow it.", Config: object(
		Field{Name: "repoURL", Type: TypeString, Form: FormRepository, Doc: "This repository."},
		provider(),
		Field{Name: "pollInterval", Type: TypeString, Form: FormDuration, Doc: "Taken so that Kargo's configs can be pasted; nothing is polled, GitHub tells."},
		Field{Name: "prNumber", Type: TypeInt, Least: 1, Doc: "Its number; default the one that git-open-pr opened."},
		Field{Name: "mergeMethod", Type: TypeString, Enum: []string{"squash", "merge", "rebase"}, Doc: "The way to merge; default the stage's, else the first that the repository allows."},
		Field{Name: "wait", Type: TypeBool, Doc: "Wait until it can be merged; default true. false: fail where it cannot be merged at once."},
	)},
	{Uses: "git-open-pr", Class: ClassGitHub, Doc: "Open a pull request.", Config: object(
		Field{Name: "repoURL", Type: TypeString, Form: FormRepository, Doc: "This repository."},
		provider(),
		Field{Name: "sourceBranch", Type: TypeString, Doc: "The branch to merge; default the one pushed last."},
		Field{Name: "targetBranch", Type: TypeString, Doc: "The branch to merge into; default the stage's."},
		Field{Name: "title", Type: TypeString, Doc: "The title."},
		Field{Name: "description", Type: TypeString, Doc: "The body."},
		Field{Name: "draft", Type: TypeBool, Doc: "Open it as a draft."},
		Field{Name: "labels", Type: TypeList, Most: 100, Items: &Field{Type: TypeString, Required: true}, Doc: "Labels to put on it, besides the stage's."},
		Field{Name: "createTargetBranch", Type: TypeBool, Doc: "Taken so that Kargo's configs can be pasted: git-push makes the branch that was checked out, empty, if it is missing."},
	)},
	{Uses: "git-push", Class: ClassGit, Doc: "Push the commit, never over somebody else's.", Config: pushConfig()},
	{Uses: "git-tag", Class: ClassGit, Doc: "Tag the commit of a checkout; git-push with `tag` sends the tag.", Config: tagConfig()},
	{Uses: "git-wait-for-pr", Class: ClassGitHub, Doc: "Wait until the pull request is merged or closed.", Config: object(
		Field{Name: "repoURL", Type: TypeString, Form: FormRepository, Doc: "This repository."},
		provider(),
		Field{Name: "pollInterval", Type: TypeString, Form: FormDuration, Doc: "Taken so that Kargo's configs can be pasted; nothing is polled, GitHub tells."},
		Field{Name: "prNumber", Type: TypeInt, Least: 1, Doc: "Its number; default the one that git-open-pr opened."},
	)},
	{Uses: "hcl-update", Class: ClassEdit, Doc: "Set literals in an HCL file (Terraform, OpenTofu); every other byte stays.", Config: updateConfig("Make the attribute if it is missing.")},
	{Uses: "helm-template", Class: ClassEdit, Doc: "Render a Helm chart.", Config: object(
		Field{Name: "path", Type: TypeString, Required: true, Doc: "The chart: a folder, or an archive."},
		Field{Name: "outPath", Type: TypeString, Required: true, Doc: "Where the manifests go: one file if it ends in .yaml or .yml, else a folder."},
		Field{Name: "releaseName", Type: TypeString, Required: true, Doc: "The name of the release."},
		Field{Name: "namespace", Type: TypeString, Doc: "The namespace of the release; default `default`."},
		Field{Name: "valuesFiles", Type: TypeList, Doc: "Files of values; each goes over the ones before it.", Items: &Field{Type: TypeString, Required: true}},
		Field{Name: "setValues", Type: TypeList, Doc: "Single values, over those of the files, as in helm's --set.", Items: &Field{Type: TypeObject, Fields: []Field{
			{Name: "key", Type: TypeString, Required: true, Doc: "The key, with dots: image.tag."},
			{Name: "value", Type: TypeString, Required: true, MayBeEmpty: true, Doc: "The value; a number or boolean is taken for one, and commas divide."},
			{Name: "literal", Type: TypeBool, Doc: "Take the value as it stands, for text."},
		}}},
		Field{Name: "outLayout", Type: TypeString, Enum: []string{"helm", "flat"}, Doc: "Of a folder: a file for each template (default), or for each manifest."},
		Field{Name: "useReleaseName", Type: TypeBool, Doc: "Of the layout `helm`: put all in a folder that is named as the release."},
		Field{Name: "buildDependencies", Type: TypeBool, Doc: "Fetch dependencies that the chart's folder lacks: those of Chart.lock, or the newest that Chart.yaml allows."},
		Field{Name: "includeCRDs", Type: TypeBool, Doc: "Put the custom resource definitions of the chart first."},
		Field{Name: "disableHooks", Type: TypeBool, Doc: "Leave out hooks."},
		Field{Name: "skipTests", Type: TypeBool, Doc: "Leave out hooks that are tests."},
		Field{Name: "kubeVersion", Type: TypeString, Doc: "The version of Kubernetes that templates see."},
		Field{Name: "apiVersions", Type: TypeList, Doc: "Versions of APIs that templates see besides the usual ones.", Items: &Field{Type: TypeString, Required: true}},
	)},
	{Uses: "helm-update-chart", Class: ClassEdit, Doc: "Update the dependencies of a Helm chart, its Chart.lock and archives.", Config: object(
		Field{Name: "path", Type: TypeString, Required: true, Doc: "The folder of the chart."},
		Field{Name: "charts", Type: TypeList, Doc: "Versions to set in Chart.yaml first; default: take the newest that it allows.", Items: &Field{Type: TypeObject, Fields: []Field{
			{Name: "repository", Type: TypeString, Required: true, Doc: "The dependency's repository, as in Chart.yaml."},
			{Name: "name", Type: TypeString, Required: true, Doc: "The dependency's name."},
			{Name: "alias", Type: TypeString, Doc: "The dependency's alias, where one chart stands there several times; default: all of that repository and name."},
			{Name: "version", Type: TypeString, Required: true, Doc: "The version to set."},
		}}},
	)},
	{Uses: "json-parse", Class: ClassEdit, Doc: "Read values out of a JSON file.", Config: readConfig()},
	{Uses: "json-update", Class: ClassEdit, Doc: "Set values in a JSON file; every other byte stays.", Config: updateConfig("Make the key if it is missing; default true.")},
	{Uses: "kustomize-build", Class: ClassEdit, Doc: "Render a kustomization.", Config: object(
		Field{Name: "path", Type: TypeString, Required: true, Doc: "The folder of the kustomization file."},
		Field{Name: "outPath", Type: TypeString, Required: true, Doc: "Where the manifests go: one file if it ends in .yaml or .yml, else a folder with a file for each."},
		Field{Name: "outputFormat", Type: TypeString, Enum: []string{"kargo", "kustomize"}, Doc: "How files in a folder are named: namespace-kind-name (default), or as `kustomize build --output` does."},
		Field{Name: "plugin", Type: TypeObject, Doc: "Taken so that Kargo's configs can be pasted; charts in a kustomization are refused.", Fields: []Field{
			{Name: "helm", Type: TypeObject, Doc: "Kargo's options for charts.", Fields: []Field{
				{Name: "apiVersions", Type: TypeList, Doc: "Versions of APIs.", Items: &Field{Type: TypeString, Required: true}},
				{Name: "kubeVersion", Type: TypeString, Doc: "The version of Kubernetes."},
			}},
		}},
	)},
	{Uses: "kustomize-set-image", Class: ClassEdit, Doc: "Set images in a kustomization file.", Config: object(
		Field{Name: "path", Type: TypeString, Required: true, Doc: "The folder of the kustomization file."},
		Field{Name: "images", Type: TypeList, Doc: "The images to set; default all of the freight's.", Items: &Field{
			Type: TypeObject, OneOf: [][]string{{"tag", "digest"}}, Fields: []Field{
				{Name: "image", Type: TypeString, Required: true, Doc: "The image as the kustomization names it."},
				{Name: "newName", Type: TypeString, Doc: "The image to use instead."},
				{Name: "tag", Type: TypeString, Doc: "The tag to set."},
				{Name: "digest", Type: TypeString, Doc: "The digest to set."},
			}}},
	)},
	{Uses: "regex-update", Class: ClassEdit, Doc: "Set values in any text file, where patterns match.", Config: object(
		Field{Name: "path", Type: TypeString, Required: true, Doc: "The file."},
		Field{Name: "updates", Type: TypeList, Required: true, Doc: "The values to set.", Items: &Field{
			Type: TypeObject, Fields: []Field{
				{Name: "pattern", Type: TypeString, Required: true, Form: FormPattern, Doc: "A regular expression (RE2); ^ and $ are those of lines. The group (?P<value>…), else the first group, else all that it matches, is replaced."},
				{Name: "value", Type: TypeScalar, Required: true, Doc: "The value, as it stands."},
				{Name: "matches", Type: TypeInt, Least: 1, Doc: "How often the pattern must match; default once or more."},
			}}},
	)},
	{Uses: "set-metadata", Class: ClassEdit, Doc: "Keep values with a piece of freight or with a stage, for later steps and later stages.", Config: object(
		Field{Name: "updates", Type: TypeList, Required: true, Doc: "What to keep.", Items: &Field{
			Type: TypeObject, Fields: []Field{
				{Name: "kind", Type: TypeString, Required: true, Enum: []string{MetadataOfFreight, MetadataOfStage}, Doc: "With what to keep it."},
				{Name: "name", Type: TypeString, Required: true, Doc: "The freight, by its ID or its alias, or the stage of this pipeline."},
				{Name: "values", Type: TypeObject, Required: true, Open: true, Doc: "The values by key, of any type; null takes a key away, and keys that are not named stay."},
			}}},
	)},
	{Uses: "sync", Class: ClassEdit, Doc: "Make a folder what another one is; files that are gone there are deleted.", Config: object(
		Field{Name: "inPath", Type: TypeString, Required: true, Doc: "The folder to take."},
		Field{Name: "outPath", Type: TypeString, Required: true, Doc: "The folder to change."},
		Field{Name: "ignore", Type: TypeString, Doc: "Patterns in the form of .gitignore; what they match in either folder is left alone."},
	)},
	{Uses: "toml-parse", Class: ClassEdit, Doc: "Read values out of a TOML file.", Config: readConfig()},
	{Uses: "toml-update", Class: ClassEdit, Doc: "Set values in a TOML file; every other byte stays.", Config: updateConfig("Make the key if it is missing.")},
	{Uses: "yaml-merge", Class: ClassEdit, Doc: "Merge YAML files into one.", Config: object(
		Field{Name: "inFiles", Type: TypeList, Required: true, Doc: "The files; each goes over the ones before it.", Items: &Field{Type: TypeString}},
		Field{Name: "outFile", Type: TypeString, Required: true, Doc: "The file to write; may be one of them."},
		Field{Name: "ignoreMissingFiles", Type: TypeBool, Doc: "Leave out files that are not there; default: fail."},
	)},
	{Uses: "yaml-parse", Class: ClassEdit, Doc: "Read values out of a YAML file.", Config: readConfig(documentField("Which document of the file to read; default the first."))},
	{Uses: "yaml-update", Class: ClassEdit, Doc: "Set values in a YAML file; every other byte stays.", Config: updateConfig("Make the key if it is missing.",
		documentField("Which document of the file to change; default the first that has the key."))},
}

// updateConfig is the config of the steps that set values in a file.
// more are keys of an update that the file's format adds.
func updateConfig(create string, more ...Field) Field {
	return object(
		Field{Name: "path", Type: TypeString, Required: true, Doc: "The file."},
		Field{Name: "updates", Type: TypeList, Required: true, Doc: "The values to set.", Items: &Field{
			Type: TypeObject, Fields: append([]Field{
				{Name: "key", Type: TypeString, Required: true, Doc: `The key, with dots: image.tag, containers.0.image; a dot in a name is written \.`},
				{Name: "value", Type: TypeScalar, Required: true, Doc: "The value."},
				{Name: "create", Type: TypeBool, Doc: create},
			}, more...)}},
	)
}

// readConfig is the config of the steps that read values out of a file. more are
// keys of an output that the file's format adds.
func readConfig(more ...Field) Field {
	return object(
		Field{Name: "path", Type: TypeString, Required: true, Doc: "The file."},
		Field{Name: "outputs", Type: TypeList, Required: true, Doc: "The values to read.", Items: &Field{
			Type: TypeObject, Fields: append([]Field{
				{Name: "name", Type: TypeString, Required: true, Doc: "The name of the output."},
				{Name: "fromExpression", Type: TypeString, Required: true, Form: FormDocument, Doc: "An expression over the file's keys, without ${{ }}: image.tag; $env is all of it."},
			}, more...)}},
	)
}

// provider is what Kargo's steps on pull requests say of where they are.
func provider() Field {
	return Field{Name: "provider", Type: TypeString, Enum: []string{"github"}, Doc: "Taken so that Kargo's configs can be pasted."}
}

// documentField chooses one of several documents of a YAML file.
func documentField(doc string) Field {
	return Field{Name: "document", Type: TypeObject, Doc: doc,
		OneOf: [][]string{{"index", "kind"}, {"index", "name"}, {"index", "namespace"}}, Fields: []Field{
			{Name: "index", Type: TypeInt, Doc: "Its place in the file; 0 is the first."},
			{Name: "kind", Type: TypeString, Doc: "Its kind: Deployment."},
			{Name: "name", Type: TypeString, Doc: "Its name in `metadata`."},
			{Name: "namespace", Type: TypeString, Doc: "Its namespace in `metadata`, where that tells two apart."},
		}}
}

// KindOf returns the step called uses, or nil.
func KindOf(uses string) *StepKind {
	i, ok := slices.BinarySearchFunc(Kinds, uses, func(k StepKind, name string) int {
		switch {
		case k.Uses < name:
			return -1
		case k.Uses > name:
			return 1
		}
		return 0
	})
	if !ok {
		return nil
	}
	return &Kinds[i]
}

func object(fields ...Field) Field { return Field{Type: TypeObject, Fields: fields} }

// oneOf is an object of which at most one key of the group may be given.
func oneOf(group []string, fields ...Field) Field {
	return Field{Type: TypeObject, Fields: fields, OneOf: [][]string{group}}
}
