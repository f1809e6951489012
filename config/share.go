package config

import (
	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// sharing is a file that makes no pipeline: it only says who may read the
// repository.
var sharing = shape{typ: promotion.TypeObject, fields: []shape{pipelineShape.fields[0], shareShape}}

// Shares reads which repositories, as OWNER/NAME, the pipeline file of the name
// default shares with, and whether it says nothing else. Of a file that is wrong it
// shares with nobody.
func Shares(content []byte) (with []string, alone bool) {
	c := &checker{file: defaultFile + ".yml"}
	root := c.document(content)
	if root == nil {
		return nil, false
	}
	list := get(root, "share")
	c.value(list, shareShape, "`share`")
	if list == nil || HasErrors(c.found) {
		return nil, false
	}
	for _, item := range items(list) {
		with = append(with, item.Value)
	}
	return with, sharesAlone(root)
}

// sharesAlone reports whether a file has `share` and nothing that a pipeline is
// made of.
func sharesAlone(root *yaml.Node) bool {
	return get(root, "share") != nil && get(root, "sources") == nil && get(root, "stages") == nil
}

// shared checks that share stands where it counts.
func (c *checker) shared(root *yaml.Node) {
	if n := get(root, "share"); n != nil && nameOf(c.file) != promotion.DefaultPipeline {
		c.error(n, "`share` is about the repository: it stands only in .github/stagecoach.yml")
	}
}
