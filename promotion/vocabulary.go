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
	{Uses: "copy", Class: ClassEdit, Doc: "Copy a file or a folder.", Config: object(
		Field{Name: "inPath", Type: TypeString, Required: true, Doc: "What to copy: a file or a folder."},
		Field{Name: "outPath", Type: TypeString, Required: true, Doc: "Where to. Of a folder, the contents are copied over what is there."},
		Field{Name: "ignore", Type: TypeString, Doc: "Patterns in the form of .gitignore; what they match is not copied."},
	)},
	{Uses: "git-clone", Class: ClassGit, Doc: "Mount commits of this repository in the workspace.", Config: object(
		Field{Name: "repoURL", Type: TypeString, Doc: "This repository. Another one is not built yet."},
		Field{Name: "checkout", Type: TypeList, Required: true, Doc: "What to mount.", Items: &Field{
			Type: TypeObject, OneOf: [][]string{{"branch", "commit", "tag"}}, Fields: []Field{
				{Name: "path", Type: TypeString, Doc: "Where to; default the root."},
				{Name: "branch", Type: TypeString, Doc: "The tip of this branch."},
				{Name: "commit", Type: TypeString, Doc: "This commit."},
				{Name: "tag", Type: TypeString, Doc: "The commit of this tag."},
				{Name: "create", Type: TypeBool, Doc: "Make the branch, empty, if it is missing."},
			}}},
	)},
	{Uses: "git-commit", Class: ClassGit, Doc: "Commit what the steps changed.", Config: object(
		Field{Name: "path", Type: TypeString, Doc: "The checkout to commit; default that of the stage's branch."},
		Field{Name: "message", Type: TypeString, Doc: "The commit message; default one that names freight and stage."},
		Field{Name: "author", Type: TypeObject, Doc: "Who to name as author; default the app's bot.", Fields: []Field{
			{Name: "name", Type: TypeString, Required: true, Doc: "The name."}, {Name: "email", Type: TypeString, Required: true, Doc: "The address."},
		}},
	)},
	{Uses: "git-open-pr", Class: ClassGitHub, Doc: "Open a pull request.", Config: object(
		Field{Name: "repoURL", Type: TypeString, Doc: "This repository."},
		Field{Name: "sourceBranch", Type: TypeString, Doc: "The branch to merge; default the one pushed last."},
		Field{Name: "targetBranch", Type: TypeString, Doc: "The branch to merge into; default the stage's."},
		Field{Name: "title", Type: TypeString, Doc: "The title."},
		Field{Name: "description", Type: TypeString, Doc: "The body."},
		Field{Name: "draft", Type: TypeBool, Doc: "Open it as a draft."},
	)},
	{Uses: "git-push", Class: ClassGit, Doc: "Push the commit, never over somebody else's.", Config: oneOf([]string{"targetBranch", "generateTargetBranch"},
		Field{Name: "path", Type: TypeString, Doc: "The checkout whose commit to push; default that of the stage's branch."},
		Field{Name: "targetBranch", Type: TypeString, Doc: "The branch to push to; default the one checked out."},
		Field{Name: "generateTargetBranch", Type: TypeBool, Doc: "Push to a branch named after the promotion."},
	)},
	{Uses: "git-wait-for-pr", Class: ClassGitHub, Doc: "Wait until the pull request is merged or closed.", Config: object(
		Field{Name: "repoURL", Type: TypeString, Doc: "This repository."},
		Field{Name: "prNumber", Type: TypeInt, Doc: "Its number; default the one that git-open-pr opened."},
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
	{Uses: "yaml-update", Class: ClassEdit, Doc: "Set values in a YAML file; every other byte stays.", Config: object(
		Field{Name: "path", Type: TypeString, Required: true, Doc: "The file."},
		Field{Name: "updates", Type: TypeList, Required: true, Doc: "The values to set.", Items: &Field{
			Type: TypeObject, Fields: []Field{
				{Name: "key", Type: TypeString, Required: true, Doc: `The key, with dots: image.tag, containers.0.image; a dot in a name is written \.`},
				{Name: "value", Type: TypeScalar, Required: true, Doc: "The value."},
				{Name: "create", Type: TypeBool, Doc: "Make the key if it is missing."},
			}}},
	)},
}

// Unbuilt are steps that the design names and this version does not run. They
// are refused in words, never ignored.
var Unbuilt = []string{
	"compose-output", "delete", "fail", "file-write", "git-clear", "git-merge-pr", "git-tag", "hcl-update",
	"helm-template", "helm-update-chart", "json-parse", "json-update", "kustomize-build", "regex-update",
	"set-metadata", "sync", "toml-parse", "toml-update", "yaml-merge", "yaml-parse",
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
