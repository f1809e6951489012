package handlers

import (
	"fmt"
	"strings"
)

// Key says whose lane a delivery belongs to: "r<ID>" for a repository, "i<ID>"
// for an installation. It reads no more of the payload than it must, and fails
// when that is malformed or names neither.
func Key(eventType string, payload []byte) (key string, err error) {
	switch {
	case eventType == "installation" || eventType == "installation_repositories":
		return installationKey(eventType, payload)
	case strings.HasPrefix(eventType, internalPrefix):
		return internalKey(eventType, payload)
	}
	p, err := decode[struct {
		Repository struct {
			ID int64 `json:"id"`
		} `json:"repository"`
	}](payload)
	if err == nil && p.Repository.ID == 0 && eventType == "registry_package" {
		return installationKey(eventType, payload) // the package is linked to no repository
	}
	if err == nil && p.Repository.ID == 0 {
		err = errNoRepository
	}
	if err != nil {
		return "", fmt.Errorf("find the repository of a %s delivery: %w", eventType, err)
	}
	return fmt.Sprintf("r%d", p.Repository.ID), nil
}

func installationKey(eventType string, payload []byte) (string, error) {
	p, err := decode[struct {
		Installation struct {
			ID int64 `json:"id"`
		} `json:"installation"`
	}](payload)
	if err == nil && p.Installation.ID == 0 {
		err = errNoInstallation
	}
	if err != nil {
		return "", fmt.Errorf("find the installation of a %s delivery: %w", eventType, err)
	}
	return fmt.Sprintf("i%d", p.Installation.ID), nil
}

func internalKey(eventType string, payload []byte) (string, error) {
	p, err := decode[internalPayload](payload)
	if err == nil && p.Repo.ID == 0 {
		err = errNoRepository
	}
	if err != nil {
		return "", fmt.Errorf("find the repository of a %s delivery: %w", eventType, err)
	}
	return fmt.Sprintf("r%d", p.Repo.ID), nil
}
