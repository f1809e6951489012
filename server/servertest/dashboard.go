package servertest

// Dashboard lets the servers that are started from now on have a dashboard: the app gets
// a client secret and the callback URL. It returns where the dashboard is.
func (w *World) Dashboard() string {
	w.TB.Helper()
	public := "http://" + w.Addr
	secret, err := w.Sim.AddClientSecret(w.App.ID)
	w.must(err)
	w.must(w.Sim.SetCallbacks(w.App.ID, public+"/api/github/auth"))
	if w.Vars == nil {
		w.Vars = map[string]string{}
	}
	w.Vars["STAGECOACH_PUBLIC_URL"] = public
	w.Vars["GITHUB_OAUTH_CLIENT_ID"], w.Vars["GITHUB_OAUTH_CLIENT_SECRET"] = w.App.ClientID, secret
	return public
}
