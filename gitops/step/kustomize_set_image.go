package step

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
	"github.com/stagecoach-app/stagecoach/promotion"
)

type kustomizeSetImage struct {
	Path   string       `json:"path"`
	Images []imageToSet `json:"images"`
}

// imageToSet is what an entry of `images:` shall say. The value * keeps what the
// entry says, as in `kustomize edit set image`.
type imageToSet struct {
	Image   string `json:"image"`
	NewName string `json:"newName"` // empty: as it is
	Tag     string `json:"tag"`
	Digest  string `json:"digest"`
}

// kustomizations are the names that Kustomize knows, the usual one first:
// https://kubectl.docs.kubernetes.io/references/kustomize/glossary/#kustomization
var kustomizations = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// setImages sets entries of `images:` in a kustomization file.
func setImages(ctx context.Context, ws Workspace, task Task) (Outcome, error) {
	var cfg kustomizeSetImage
	if err := decode(task, &cfg); err != nil {
		return Outcome{}, err
	}
	images, err := imagesToSet(cfg, task.Freight)
	if err != nil {
		return Outcome{}, err
	}
	file, content, err := readKustomization(ctx, ws, cfg.Path)
	if err != nil {
		return Outcome{}, err
	}
	edited, entries, err := editImages(content, images)
	if err != nil {
		return Outcome{}, terminalf("%s: %w", file, err)
	}
	message := fmt.Sprintf("%s names these images already.", file)
	if !bytes.Equal(content, edited) {
		if err := ws.WriteFile(ctx, file, edited, 0); err != nil {
			return Outcome{}, fmt.Errorf("write %s: %w", file, err)
		}
		message = fmt.Sprintf("Set %s in %s.", shorten(strings.Join(named(entries, images), ", ")), file)
	}
	return Outcome{Output: Texts(map[string]string{"commitMessage": imagesMessage(cfg.Path, entries)}), Message: message}, nil
}

// imagesToSet returns the images of the config, or all of the freight's.
func imagesToSet(cfg kustomizeSetImage, freight *promotion.Freight) ([]imageToSet, error) {
	images := cfg.Images
	if len(images) == 0 && freight != nil {
		for _, a := range freight.Artifacts {
			if a.Kind == "image" {
				images = append(images, imageToSet{Image: a.Repo, Tag: a.Tag, Digest: a.Digest})
			}
		}
	}
	if len(images) == 0 {
		return nil, terminalf("there is no image to set: the freight has none; list `images` in the config of kustomize-set-image")
	}
	seen := map[string]bool{}
	for i, image := range images {
		switch {
		case seen[image.Image]:
			return nil, terminalf("the image %s is to be set twice; list `images` with each of them once", image.Image)
		case image.Tag == "" && image.Digest == "":
			return nil, terminalf("images.%d (%s) has neither tag nor digest; give one of them", i, image.Image)
		}
		seen[image.Image] = true
	}
	return images, nil
}

// readKustomization reads the one kustomization file of a folder.
func readKustomization(ctx context.Context, ws Workspace, folder string) (file string, content []byte, err error) {
	dir, err := clean(folder)
	if err != nil {
		return "", nil, err
	}
	if dir, err = resolve(ctx, ws, dir, true); err != nil {
		return "", nil, err
	}
	entry, err := ws.Stat(ctx, dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, terminalf("there is no folder %s%s", folder, neighbour(ctx, ws, dir))
	case err != nil:
		return "", nil, fmt.Errorf("look at %s: %w", dir, err)
	case entry.Mode != ModeFolder:
		return "", nil, terminalf("%s is not a folder; `path` names the folder of the kustomization file: write %s", folder, path.Dir(dir))
	}
	found, err := kustomizationsIn(ctx, ws, dir)
	if err != nil {
		return "", nil, err
	}
	switch len(found) {
	case 0:
		return "", nil, terminalf("there is no kustomization file in %s (%s)", folder, strings.Join(kustomizations, ", "))
	case 1:
		return read(ctx, ws, found[0])
	}
	return "", nil, terminalf("%s are all kustomization files of %s, and Kustomize takes one: remove the others", strings.Join(found, " and "), folder)
}

// kustomizationsIn lists the kustomization files of a folder. It looks at their
// names alone, so that the step does not depend on what else the folder holds.
func kustomizationsIn(ctx context.Context, ws Workspace, dir string) (found []string, err error) {
	for _, name := range kustomizations {
		file := path.Join(dir, name)
		entry, err := ws.Stat(ctx, file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, fmt.Errorf("look at %s: %w", file, err)
		case entry.Mode != ModeFolder && entry.Mode != ModeSubmodule:
			found = append(found, file)
		}
	}
	return found, nil
}

// imagesMessage is the output commitMessage, in Kargo's words.
func imagesMessage(folder string, entries []imageEntry) string {
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b imageEntry) int { return cmp.Compare(a.name, b.name) })
	lines := make([]string, len(entries))
	for i, e := range entries {
		lines[i] = "- " + e.String()
	}
	plural := ""
	if len(lines) != 1 {
		plural = "s"
	}
	return fmt.Sprintf("Updated %s to use new image%s\n\n%s", folder, plural, strings.Join(lines, "\n"))
}

// named returns the entries of the images that were set.
func named(entries []imageEntry, images []imageToSet) []string {
	var names []string
	for _, e := range entries {
		if slices.ContainsFunc(images, func(i imageToSet) bool { return i.Image == e.name }) {
			names = append(names, e.String())
		}
	}
	return names
}

// editImages sets the images and returns all entries that the file has then.
func editImages(content []byte, images []imageToSet) ([]byte, []imageEntry, error) {
	file, err := yamledit.Parse(content)
	if err != nil {
		return nil, nil, err
	}
	for _, image := range images {
		if err := setImage(file, image); err != nil {
			return nil, nil, fmt.Errorf("set the image %s: %w", image.Image, err)
		}
	}
	sortImages(file)
	entries, err := imageEntries(file)
	return file.Bytes(), entries, err
}
