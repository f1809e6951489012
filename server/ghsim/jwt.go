package ghsim

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/golang-jwt/jwt/v4"
)

// The limits of an App's JWT (docs.github.com, "Generating a JSON Web Token (JWT) for a GitHub App"). maxDrift is the
// tolerance for clocks that are apart.
const (
	maxJWTLife = 10 * time.Minute
	maxDrift   = 60 * time.Second
)

var errNoApp = errors.New("no app has that issuer")

func (s *Sim) jwtPrincipal(secret string) (principal, *reply) {
	claims := jwt.MapClaims{}
	var a *app
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"RS256"}), jwt.WithoutClaimsValidation(), jwt.WithJSONNumber())
	_, err := parser.ParseWithClaims(secret, claims, func(*jwt.Token) (any, error) {
		if a = s.appOf(claims["iss"]); a == nil || a.key == nil {
			return nil, errNoApp
		}
		return &a.key.PublicKey, nil
	})
	switch {
	case errors.Is(err, errNoApp):
		return refuse(fail(http.StatusNotFound, "Integration not found"))
	case err != nil:
		return refuse(fail(http.StatusUnauthorized, "A JSON web token could not be decoded"))
	}
	if message := wrongTimes(claims, s.opts.AuthClock()); message != "" {
		return refuse(fail(http.StatusUnauthorized, message))
	}
	return principal{kind: asApp, app: a}, nil
}

// appOf finds the App that iss names: its ID as number or text, or its client ID.
func (s *Sim) appOf(iss any) *app {
	text, _ := iss.(string)
	if n, is := iss.(json.Number); is {
		text = n.String()
	}
	for _, a := range s.apps {
		if text == strconv.FormatInt(a.id, 10) || text == a.clientID {
			return a
		}
	}
	return nil
}

// wrongTimes is GitHub's complaint about iat or exp, empty when both are right.
func wrongTimes(claims jwt.MapClaims, now time.Time) string {
	iat, hasIat := seconds(claims["iat"])
	exp, hasExp := seconds(claims["exp"])
	switch {
	case !hasExp || !exp.After(now.Add(-maxDrift)):
		return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"
	case exp.After(now.Add(maxJWTLife + maxDrift)):
		return "'Expiration time' claim ('exp') is too far in the future"
	case !hasIat || iat.After(now):
		return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
	}
	return ""
}

func seconds(claim any) (time.Time, bool) {
	n, is := claim.(json.Number)
	if !is {
		return time.Time{}, false
	}
	f, err := n.Float64()
	if err != nil || math.IsNaN(f) {
		return time.Time{}, false
	}
	return time.Unix(int64(f), 0), true
}
