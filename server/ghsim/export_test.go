package ghsim

// Templates lists the served routes for the tests of the package.
func Templates() []string {
	var out []string
	for _, rt := range allRoutes() {
		out = append(out, rt.template())
	}
	return out
}

// CheckGitVersion is what New does with the output of git version.
var CheckGitVersion = checkGitVersion

// Permits is how a requirement is read.
var Permits = permits

// KeepFew lowers what is kept of one kind, so that a test need not make a thousand.
func (s *Sim) KeepFew(statuses, runsOfName int) { s.keeps = keeps{statuses, runsOfName} }
