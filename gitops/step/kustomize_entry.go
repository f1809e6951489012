package step

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

// imageEntry is an entry of `images:`.
type imageEntry struct{ name, newName, newTag, digest string }

// String is the image that the entry stands for.
func (e imageEntry) String() string {
	ref := cmp.Or(e.newName, e.name)
	if e.newTag != "" {
		ref += ":" + e.newTag
	}
	if e.digest != "" {
		ref += "@" + e.digest
	}
	return ref
}

// imageEntries reads `images:`. A file without has none.
func imageEntries(file *yamledit.File) ([]imageEntry, error) {
	list, err := file.Find(yamledit.Path{"images"})
	switch {
	case errors.Is(err, yamledit.ErrMissing):
		return nil, nil
	case err != nil:
		return nil, err
	case list.Kind == yaml.ScalarNode && list.ShortTag() == "!!null":
		return nil, nil
	case list.Kind != yaml.SequenceNode:
		return nil, fmt.Errorf("images is not a list (line %d)", list.Line)
	}
	entries := make([]imageEntry, len(list.Content))
	for i, item := range list.Content {
		if item.Kind == yaml.AliasNode {
			item = item.Alias
		}
		entries[i] = readEntry(item)
	}
	return entries, nil
}

func readEntry(item *yaml.Node) imageEntry {
	var e imageEntry
	for k := 0; item.Kind == yaml.MappingNode && k+1 < len(item.Content); k += 2 {
		value := item.Content[k+1]
		if value.Kind != yaml.ScalarNode || value.ShortTag() == "!!null" {
			continue
		}
		switch item.Content[k].Value {
		case "name":
			e.name = value.Value
		case "newName":
			e.newName = value.Value
		case "newTag":
			e.newTag = value.Value
		case "digest":
			e.digest = value.Value
		}
	}
	return e
}

// setImage changes the entry of an image, or adds one.
func setImage(file *yamledit.File, image imageToSet) error {
	entries, err := imageEntries(file)
	if err != nil {
		return err
	}
	at := -1
	for i, e := range entries {
		if e.name != image.Image {
			continue
		}
		if at >= 0 {
			return fmt.Errorf("images has two entries of that name, %d and %d; remove one", at, i)
		}
		at = i
	}
	if at < 0 {
		return addEntry(file, len(entries), keep(image, imageEntry{}))
	}
	return changeEntry(file, at, entries[at], image)
}

// keep puts what the entry says in the place of each *.
func keep(image imageToSet, e imageEntry) imageEntry {
	or := func(want, has string) string {
		if want == "*" {
			return has
		}
		return want
	}
	return imageEntry{image.Image, or(image.NewName, e.newName), or(image.Tag, e.newTag), or(image.Digest, e.digest)}
}

// addEntry adds an entry as the last one, with `images:` itself if that lacks.
func addEntry(file *yamledit.File, count int, e imageEntry) error {
	item := yamledit.Map("name", yamledit.String(e.name))
	for _, f := range []struct{ key, value string }{{"newName", e.newName}, {"newTag", e.newTag}, {"digest", e.digest}} {
		if f.value != "" {
			yamledit.Pair(item, f.key, yamledit.String(f.value))
		}
	}
	if list, err := file.Find(yamledit.Path{"images"}); err == nil && list.Kind == yaml.SequenceNode {
		return file.Add(yamledit.Path{"images", strconv.Itoa(count)}, item)
	}
	return file.Add(yamledit.Path{"images"}, yamledit.List(item))
}

// changeEntry makes the entry at index i say what image says. Its tag and digest
// are replaced together, as one that stayed would hold the other one back.
func changeEntry(file *yamledit.File, i int, has imageEntry, image imageToSet) error {
	at := yamledit.Path{"images", strconv.Itoa(i)}
	set := func(key, value string) error {
		if value == "" || value == "*" {
			return nil
		}
		return file.Add(append(at[:2:2], key), yamledit.String(value))
	}
	if err := set("newName", image.NewName); err != nil {
		return err
	}
	if err := dropOther(file, at, has, keep(image, has)); err != nil {
		return err
	}
	if err := set("newTag", image.Tag); err != nil {
		return err
	}
	return set("digest", image.Digest)
}

// dropOther takes away the tag of an entry that gets a digest alone, and the
// reverse; if only that one is there, its line becomes the other's.
func dropOther(file *yamledit.File, at yamledit.Path, has, want imageEntry) error {
	gone, stays, replaced := "", "", false
	switch {
	case want.digest == "" && want.newTag != "" && has.digest != "":
		gone, stays, replaced = "digest", "newTag", has.newTag == ""
	case want.newTag == "" && want.digest != "" && has.newTag != "":
		gone, stays, replaced = "newTag", "digest", has.digest == ""
	default:
		return nil
	}
	if path := append(at[:2:2], gone); !replaced {
		return file.Remove(path)
	} else if err := file.Rename(path, stays); err == nil {
		return nil
	}
	return file.Remove(append(at[:2:2], gone)) // the other key is there, with a null
}

// sortImages puts the entries in the order of their names, as `kustomize edit
// set image` and Kargo do. A list with comments or blank lines between its
// entries has an order of its own: it stays.
func sortImages(file *yamledit.File) {
	entries, err := imageEntries(file)
	if err != nil {
		return
	}
	order := make([]int, len(entries))
	for i := range order {
		order[i] = i
	}
	byName := func(a, b int) int { return cmp.Compare(entries[a].name, entries[b].name) }
	if slices.IsSortedFunc(order, byName) {
		return
	}
	slices.SortStableFunc(order, byName)
	_ = file.Reorder(yamledit.Path{"images"}, order) // refused: the order stays
}
