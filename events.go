package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/stagecoach-app/stagecoach/promotion/ledger"
	"github.com/stagecoach-app/stagecoach/server/eventlog"
)

func eventsCommand() *cobra.Command {
	var output outputFlag
	var url, replay string
	var where settingsFlags
	cmd := &cobra.Command{
		Use: "events", Short: "Show the deliveries that wait or were set aside, and take one up again", Args: noArgs,
		Long: `Ask a running server which deliveries wait, and which were set aside and why.
With --replay, have one taken up again that was set aside, as if it had just come.
From another machine set STAGECOACH_METRICS_TOKEN to the server's.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			raw, err := eventsOf(cmd, &where, url, replay)
			if err != nil {
				if output.json() {
					_ = output.print(cmd, map[string]string{"error": err.Error()}, "")
				}
				return err
			}
			return output.print(cmd, json.RawMessage(raw), eventsText(raw))
		},
	}
	cmd.Flags().StringVar(&url, "url", "http://127.0.0.1:8080", "where the server listens")
	where.addEnv(cmd)
	cmd.Flags().StringVar(&replay, "replay", "", "take up the `delivery` of that name again")
	output.add(cmd)
	return cmd
}

// eventsOf is what the server says of its deliveries, after one was taken up again
// if replay names it.
func eventsOf(cmd *cobra.Command, where *settingsFlags, server, replay string) ([]byte, error) {
	getenv, err := where.getenv()
	if err != nil {
		return nil, err
	}
	token := getenv("STAGECOACH_METRICS_TOKEN")
	server = strings.TrimSuffix(server, "/")
	if replay != "" {
		if _, err := askServer(cmd, token, http.MethodPost, server+"/events/"+url.PathEscape(replay)+"/replay"); err != nil {
			return nil, err
		}
	}
	return askServer(cmd, token, http.MethodGet, server+"/events")
}

func askServer(cmd *cobra.Command, token, method, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(cmd.Context(), method, address, nil)
	if err != nil {
		return nil, usageError{err}
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	client := &http.Client{Timeout: 10 * time.Second}
	res, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("the server does not answer (is it running there? --url says where): %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, 64<<20))
	if err != nil {
		return nil, fmt.Errorf("read the server's answer: %w", err)
	}
	if res.StatusCode/100 != 2 {
		return nil, fmt.Errorf("the server answered %s: %s", res.Status, strings.TrimSpace(string(body)))
	}
	return body, nil
}

func eventsText(raw []byte) string {
	var answer struct {
		Stats eventlog.Stats
		Aside []eventlog.AsideEvent
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return string(raw)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d waiting, %d in work, %d to be tried again, %d set aside\n",
		answer.Stats.Waiting, answer.Stats.InFlight, answer.Stats.Retrying, len(answer.Aside))
	if len(answer.Aside) == 0 {
		return b.String()
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SINCE\tEVENT\tDELIVERY\tREASON")
	for _, e := range answer.Aside {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", e.At.UTC().Format("2 Jan 15:04 UTC"), ledger.OneLine(e.Type), ledger.OneLine(e.GUID), ledger.OneLine(e.Reason))
	}
	_ = w.Flush()
	return b.String()
}
