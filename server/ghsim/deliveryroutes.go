package ghsim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// redeliverable is how far back GitHub sends again (docs.github.com, "Redelivering webhooks").
const redeliverable = 3 * 24 * time.Hour

func deliveryRoutes() []route {
	const base = "/app/hook/deliveries"
	return []route{
		{pattern: "GET " + base, docs: "apps/webhooks#list-deliveries-for-an-app-webhook", auth: authJWT, free: true, run: listDeliveries},
		{pattern: "GET " + base + "/{delivery_id}", docs: "apps/webhooks#get-a-delivery-for-an-app-webhook", auth: authJWT, free: true, run: getDelivery},
		{pattern: "POST " + base + "/{delivery_id}/attempts", docs: "apps/webhooks#redeliver-a-delivery-for-an-app-webhook", auth: authJWT, free: true,
			run: attemptDelivery},
	}
}

// listDeliveries pages by cursor, newest first.
func listDeliveries(c *call) reply {
	status := c.query("status")
	if status != "" && status != "success" && status != "failure" {
		return fail(http.StatusUnprocessableEntity, "status must be success or failure")
	}
	found := slices.DeleteFunc(c.hooks.ended(), func(d *delivery) bool {
		return d.target.app != c.who.app.id || status != "" && d.OK() != (status == "success")
	})
	slices.SortFunc(found, func(a, b *delivery) int { return int(b.ID - a.ID) })
	if cursor := c.query("cursor"); cursor != "" {
		below, err := strconv.ParseInt(strings.TrimPrefix(cursor, "v1_"), 10, 64)
		if err != nil {
			return fail(http.StatusBadRequest, "Invalid cursor")
		}
		found = slices.DeleteFunc(found, func(d *delivery) bool { return d.ID >= below })
	}
	return c.deliveryPage(found)
}

func (c *call) deliveryPage(found []*delivery) reply {
	size := min(number(c.query("per_page"), 30), 100)
	more := len(found) > size
	found = found[:min(size, len(found))]
	out := []obj{}
	for _, d := range found {
		out = append(out, d.itemJSON())
	}
	if !more {
		return ok(out)
	}
	q := c.r.URL.Query()
	q.Set("cursor", fmt.Sprintf("v1_%d", found[size-1].ID))
	return linked(ok(out), fmt.Sprintf(`<%s?%s>; rel="next"`, c.api(c.r.URL.Path), q.Encode()))
}

// theDelivery is the one in the path, if it is the calling App's.
func (c *call) theDelivery() *delivery {
	for _, d := range c.hooks.ended() {
		if d.ID == c.id("delivery_id") && d.target.app == c.who.app.id {
			return d
		}
	}
	return nil
}

func getDelivery(c *call) reply {
	d := c.theDelivery()
	if d == nil {
		return notFound()
	}
	return ok(merged(d.itemJSON(), obj{
		"url": d.target.url, "request": obj{"headers": flat(d.headers), "payload": json.RawMessage(d.Payload)},
		"response": obj{"headers": flat(d.answered), "payload": d.response},
	}))
}

func flat(h http.Header) obj {
	out := obj{}
	for k, v := range h {
		out[k] = strings.Join(v, ", ")
	}
	return out
}

func attemptDelivery(c *call) reply {
	d := c.theDelivery()
	switch {
	case d == nil:
		return notFound()
	case c.now.Sub(d.At) > redeliverable:
		return fail(http.StatusUnprocessableEntity, "This delivery is too old to be redelivered.")
	}
	c.redeliver(d)
	return reply{status: http.StatusAccepted, body: obj{}}
}

func (d *delivery) itemJSON() obj {
	out := obj{
		"id": d.ID, "guid": d.GUID, "delivered_at": d.At.Format(time.RFC3339Nano), "redelivery": d.Redelivery, "duration": d.Duration.Seconds(),
		"status": d.Status, "status_code": d.StatusCode, "event": d.Event, "action": textOrNull(d.Action), "installation_id": d.Installation,
		"repository_id": nil, "throttled_at": nil,
	}
	if d.Repository != 0 {
		out["repository_id"] = d.Repository
	}
	return out
}
