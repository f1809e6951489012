package promotion

// The configs of the steps that work on commits. What Kargo has and Stagecoach does
// not is refused by name, with what to do in its place.

func cloneConfig() Field {
	return object(
		Field{Name: "repoURL", Type: TypeString, Form: FormRepository, Doc: "The repository; default this one. Another one is read only, and must share with this one or be public."},
		Field{Name: "checkout", Type: TypeList, Required: true, Doc: "What to mount.", Items: &Field{
			Type: TypeObject, OneOf: [][]string{{"branch", "commit", "tag"}}, Fields: []Field{
				{Name: "path", Type: TypeString, Doc: "Where to; default the root."},
				{Name: "as", Type: TypeString, Doc: "The name of its commit in the output; default the path."},
				{Name: "branch", Type: TypeString, Doc: "The tip of this branch; without branch, commit and tag that of the stage's branch, of another repository its default one."},
				{Name: "commit", Type: TypeString, Doc: "This commit."},
				{Name: "tag", Type: TypeString, Doc: "The commit of this tag."},
				{Name: "create", Type: TypeBool, Doc: "Make the branch, empty, if it is missing; in this repository alone."},
				{Name: "sparse", Type: TypeList, Items: &Field{Type: TypeString, Required: true}, Doc: "Only an empty list.",
					Refused: "all folders are there, and none is fetched before it is read; leave it out"},
			}}},
		Field{Name: "blobless", Type: TypeBool, Doc: "Taken so that Kargo's configs can be pasted; files always come when they are read."},
		Field{Name: "author", Type: TypeObject, Doc: "Not taken: git-commit names the author.", Open: true,
			Refused: "name the author in `git-commit`"},
		Field{Name: "recurseSubmodules", Type: TypeBool, Doc: "Only `false`: submodules are left as they are.",
			Refused: "submodules are left as they are; mount their repositories by a `git-clone` each"},
		Field{Name: "insecureSkipTLSVerify", Type: TypeBool, Doc: "Only `false`.", Refused: insecure},
	)
}

func commitConfig() Field {
	return object(
		Field{Name: "path", Type: TypeString, Doc: "The checkout to commit; default that of the stage's branch."},
		Field{Name: "message", Type: TypeString, Doc: "The commit message; default one that names freight and stage."},
		Field{Name: "author", Type: TypeObject, Doc: "Who to name as author; default the app's bot.", Fields: []Field{
			{Name: "name", Type: TypeString, Required: true, Doc: "The name."},
			{Name: "email", Type: TypeString, Required: true, Doc: "The address."},
			{Name: "signingKey", Type: TypeString, Doc: "Only an empty one.", Refused: signing},
		}},
	)
}

func pushConfig() Field {
	return oneOf([]string{"targetBranch", "generateTargetBranch", "tag"},
		Field{Name: "path", Type: TypeString, Doc: "The checkout whose commit to push; default that of the stage's branch."},
		Field{Name: "targetBranch", Type: TypeString, Doc: "The branch to push to; default the one checked out."},
		Field{Name: "generateTargetBranch", Type: TypeBool, Doc: "Push to a branch named after the promotion."},
		Field{Name: "tag", Type: TypeString, Doc: "Push this tag, which git-tag made, and no branch."},
		Field{Name: "maxAttempts", Type: TypeInt, Least: 1, Most: 1<<31 - 1, Doc: "How often at most to put the change on the new tip of a branch that moved meanwhile; default and at most 20."},
		provider(),
		Field{Name: "force", Type: TypeBool, Doc: "Only `false`: a push never goes over somebody's commit.",
			Refused: "a push never goes over somebody's commit: where the branch has moved, the change is put on its new tip; leave it out"},
	)
}

func tagConfig() Field {
	return object(
		Field{Name: "path", Type: TypeString, Doc: "The checkout whose commit to tag; default that of the stage's branch."},
		Field{Name: "tag", Type: TypeString, Required: true, Doc: "The name of the tag."},
		Field{Name: "message", Type: TypeString, Doc: "The message of the tag; default one that names freight and stage."},
		Field{Name: "tagger", Type: TypeObject, Doc: "Who to name as tagger; default the app's bot.", Fields: []Field{
			{Name: "name", Type: TypeString, Required: true, Doc: "The name."},
			{Name: "email", Type: TypeString, Required: true, Doc: "The address."},
			{Name: "signingKey", Type: TypeString, Doc: "Only an empty one.", Refused: signing},
		}},
		Field{Name: "force", Type: TypeBool, Doc: "Only `false`: a tag is never moved.",
			Refused: "a tag is never moved, because others have taken it for what it was; choose another name, or delete it first"},
	)
}

const (
	insecure = "GitHub's certificate is always verified; leave it out"
	signing  = "no key of yours is kept here; `commits: {verified: true}` has GitHub sign the commits"
)
