package promotion

// Rest is the state without what it holds pipeline by pipeline. It is as large among
// hundreds of pipelines as among few, and shares everything with s.
func (s *State) Rest() *State {
	rest := *s
	rest.Pipelines, rest.Local.Config = nil, nil
	return &rest
}
