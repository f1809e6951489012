package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/handlers"
	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/server"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/ghsim/page"
)

func (w *world) openDir(_ context.Context, opts Options, _ *set) (err error) {
	if w.keep = opts.Keep != ""; w.keep {
		if w.dir, err = filepath.Abs(opts.Keep); err != nil {
			return err
		}
		if err := os.MkdirAll(w.dir, 0o700); err != nil {
			return fmt.Errorf("make the directory to keep: %w", err)
		}
		return w.recall(opts)
	}
	if w.dir, err = os.MkdirTemp("", "stagecoach-demo-"); err != nil {
		return fmt.Errorf("make a directory for the demo's data: %w", err)
	}
	w.atEnd(func(context.Context) error { return os.RemoveAll(w.dir) })
	return nil
}

func (w *world) listen(_ context.Context, opts Options, _ *set) (err error) {
	if w.listener, err = w.listenWeb(opts.Addr); err != nil {
		return fmt.Errorf("listen for the simulated GitHub (--addr): %w", err)
	}
	w.atEnd(func(context.Context) error { return closed(w.listener.Close()) })
	if w.hook, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return fmt.Errorf("listen for webhooks: %w", err)
	}
	w.atEnd(func(context.Context) error { return closed(w.hook.Close()) })
	return nil
}

// listenWeb takes the address of a kept demo again when none is asked for, so
// that links in its texts stay good.
func (w *world) listenWeb(addr string) (net.Listener, error) {
	if addr == "" && w.kept.Addr != "" {
		if ln, err := net.Listen("tcp", w.kept.Addr); err == nil {
			return ln, nil
		}
	}
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	return net.Listen("tcp", addr)
}

// closed takes that something was closed already for success.
func closed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

func (w *world) openSim(_ context.Context, _ Options, sc *set) (err error) {
	opts := ghsim.Options{Dir: filepath.Join(w.dir, "github"), URL: "http://" + reachable(w.listener.Addr())}
	if w.sim, err = w.kept.restore(opts); err != nil {
		return err
	}
	w.atEnd(func(context.Context) error { w.sim.Close(); return nil })
	w.sim.HandlePages(page.New(w.sim, page.Options{As: writer}))
	if w.repo, err = w.repository(sc); err != nil {
		return err
	}
	w.tally = newTally(w.sim, w.repo)
	w.sim.OnRequest(func(ghsim.Request) { w.signal() })
	w.web = &http.Server{
		Handler: w.tally.around(w.sim), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 2 * time.Minute,
		WriteTimeout: 2 * time.Minute, IdleTimeout: 2 * time.Minute,
	}
	return nil
}

// reachable is where a browser on this machine finds a listener.
func reachable(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return addr.String()
}

func (w *world) signal() {
	select {
	case w.changed <- struct{}{}:
	default: // it is known already
	}
}

// repository is the one of a kept demo, or a new one.
func (w *world) repository(sc *set) (ghsim.Repo, error) {
	if w.kept.Repo != 0 {
		repo, found := w.sim.RepoByID(w.kept.Repo)
		if !found {
			return repo, fmt.Errorf("%s holds no repository %d: choose another directory for --keep", w.dir, w.kept.Repo)
		}
		return repo, nil
	}
	w.kept.Sample = sc.sample
	w.sim.AddOrg(sc.owner)
	return w.sim.CreateRepo(sc.owner, sc.name, ghsim.RepoOptions{Private: true, Files: sc.files, FromGit: sc.git})
}

func (w *world) people(_ context.Context, _ Options, sc *set) (err error) {
	hook := "http://" + w.hook.Addr().String() + "/api/github/hook"
	if w.kept.Repo != 0 {
		w.app = w.kept.App
		return w.sim.SetWebhook(w.app.ID, hook, w.kept.Secret)
	}
	for login, role := range map[string]string{writer: "write", onlooker: "read", stranger: "none"} {
		if err := w.sim.SetPermission(w.repo, login, role); err != nil {
			return err
		}
	}
	w.kept.Secret = secret()
	w.app, err = w.sim.RegisterApp(ghsim.App{
		Slug: "stagecoach", Owner: sc.owner, WebhookURL: hook, WebhookSecret: w.kept.Secret,
		Permissions: ghapi.Permissions(), Events: subscribed(),
	})
	return err
}

// subscribed are the events that an App chooses; those about installations come
// to every one.
func subscribed() []string {
	var out []string
	for _, e := range handlers.Events() {
		if !strings.HasPrefix(e, "installation") {
			out = append(out, e)
		}
	}
	return out
}

// configure gives the server what an operator would: variables, nothing else.
func (w *world) configure(context.Context, Options, *set) (err error) {
	secret, err := w.sim.AddClientSecret(w.app.ID)
	if err != nil {
		return err
	}
	if err := w.sim.SetCallbacks(w.app.ID, w.dashboard()+"/api/github/auth"); err != nil {
		return err
	}
	variables := map[string]string{
		"GITHUB_WEB_URL": w.sim.URL(), "GITHUB_V3_API_URL": w.sim.APIURL(), "GITHUB_V4_API_URL": w.sim.URL() + "/api/graphql",
		"GITHUB_APP_INTEGRATION_ID": fmt.Sprint(w.app.ID), "GITHUB_APP_WEBHOOK_SECRET": w.kept.Secret, "GITHUB_APP_PRIVATE_KEY": w.app.PrivateKey,
		"STAGECOACH_ADDR": w.hook.Addr().String(), "STAGECOACH_DATA_DIR": filepath.Join(w.dir, "server"), "STAGECOACH_PACE": "off",
		"STAGECOACH_PUBLIC_URL": w.dashboard(), "GITHUB_OAUTH_CLIENT_ID": w.app.ClientID, "GITHUB_OAUTH_CLIENT_SECRET": secret,
	}
	w.settings, err = config.Load("", func(name string) string { return variables[name] }, os.ReadFile)
	return err
}

// dashboard is where people find the server's own pages.
func (w *world) dashboard() string { return "http://" + w.hook.Addr().String() }

func (w *world) openServer(ctx context.Context, opts Options, _ *set) (err error) {
	file, err := os.OpenFile(filepath.Join(w.dir, "server.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open the server's log: %w", err)
	}
	w.atEnd(func(context.Context) error { return file.Close() })
	log := zerolog.New(zerolog.MultiLevelWriter(file, w.warnings)).Level(zerolog.InfoLevel).With().Timestamp().Logger()
	w.server, err = server.New(ctx, server.Config{Settings: w.settings, Version: opts.Version, Log: log, Listener: w.hook})
	return err
}
