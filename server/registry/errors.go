package registry

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/stagecoach-app/stagecoach/gitops/egress"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// told puts an error into the words of promotion/errors.go.
func told(doing string, err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s: %w", doing, err)
	var many *tooMany
	var lie *dishonest
	var refused *egress.Refused
	var answered *transport.Error
	switch {
	case errors.As(err, &many):
		return promotion.RetryAfter(many.wait, err)
	case errors.As(err, &lie), errors.As(err, &refused):
		return promotion.Terminal(err)
	case errors.As(err, &answered):
		switch answered.StatusCode {
		case http.StatusUnauthorized, http.StatusForbidden:
			return promotion.Terminal(fmt.Errorf("the registry refused: there is no such image, or the credentials that the operator gave for this owner (STAGECOACH_REGISTRY_AUTH) do not reach it: %w", err))
		case http.StatusNotFound:
			return promotion.Terminal(err)
		}
	}
	return err
}

// isNone reports whether a registry said that there is no such thing.
func isNone(err error) bool {
	var answered *transport.Error
	return errors.As(err, &answered) && answered.StatusCode == http.StatusNotFound
}
