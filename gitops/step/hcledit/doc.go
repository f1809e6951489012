// Package hcledit changes values in HCL text, the language of Terraform and
// OpenTofu, and leaves every other byte as it was: comments, blank lines, the
// alignment of equals signs.
//
// It takes the bytes of a value from the syntax tree of hclsyntax and replaces
// them. It does not use hclwrite, which aligns the lines around anew. An outcome
// is kept if it parses, has the value, and differs in no other token.
//
// A key is an attribute, or the type of a block and its labels and then what the
// block holds: resource.aws_instance.web.tags.version. Of several such blocks
// one is named by an index behind the labels. Only literals are replaced: what
// is computed stays, and is an error.
//
// When a call returns nil the File holds the edited text. When it returns an
// error the File is as it was. A File is for one goroutine at a time.
package hcledit
