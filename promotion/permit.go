package promotion

import (
	"slices"
	"strings"
)

// allows reports whether somebody may promote to the stage: whom `allow` names,
// else whoever may write.
func (s *Stage) allows(login string, r Result) bool {
	if s.Allow != nil {
		return named(s.Allow.Users, login) || intersects(s.Allow.Teams, r.Teams)
	}
	return writes(r)
}

func writes(r Result) bool { return r.Permission == "write" || r.Permission == "admin" }

// whom says who may promote to the stage.
func (s *Stage) whom() string {
	if s.Allow != nil {
		return people(s.Allow.Teams, s.Allow.Users)
	}
	return "write access to this repository"
}

// people names teams and users in a sentence, without notifying them.
func people(teams, users []string) string {
	var parts []string
	for _, t := range teams {
		parts = append(parts, "membership in the team `"+plain(t)+"`")
	}
	for _, u := range users {
		parts = append(parts, "being `"+plain(u)+"`")
	}
	if len(parts) == 0 {
		return "being named in the config, which names nobody"
	}
	return strings.Join(parts, " or ")
}

// stages are those that a command speaks of, as far as it can be told.
func (c *core) stages(s *CommentState, cmd Command) []staged {
	word := ""
	if len(cmd.Args) > 0 {
		word = cmd.Args[0]
	}
	if word == everything {
		return c.allStages()
	}
	if p := c.promotion(word); p != nil {
		return c.stagedOf(p)
	}
	if p, stage, wrong := c.findStage(word); wrong == "" {
		return []staged{{p, stage}}
	}
	if p := c.byPullRequest(s.Number); p != nil && s.Number != 0 {
		return c.stagedOf(p)
	}
	return nil
}

// isNamed reports whether the config names somebody for what a command asks:
// they may, whatever their role in the repository.
func (c *core) isNamed(s *CommentState, cmd Command, r Result) bool {
	return slices.ContainsFunc(c.stages(s, cmd), func(each staged) bool {
		if each.stage.Allow != nil && each.stage.allows(s.By, r) {
			return true
		}
		a := each.stage.Gates.Approvals
		return a != nil && (named(a.Users, s.By) || intersects(a.Teams, r.Teams))
	})
}

// staged is a stage and the pipeline that it belongs to.
type staged struct {
	p     *Pipeline
	stage *Stage
}

func (s staged) ref() string { return StageRef(s.p.Name, s.stage.Name) }

func (c *core) stagedOf(p *Promotion) []staged {
	config := c.state.Local.Config[p.Pipeline]
	if stage := config.Stage(p.Stage); stage != nil {
		return []staged{{config, stage}}
	}
	return nil
}

func (c *core) allStages() []staged {
	var out []staged
	for _, name := range sortedKeys(c.state.Local.Config) {
		p := c.state.Local.Config[name]
		for i := range p.Stages {
			out = append(out, staged{p, &p.Stages[i]})
		}
	}
	return out
}

// teamsFor are the teams whose members a comment's commands may be meant for.
func (c *core) teamsFor(s *CommentState) []string {
	var out []string
	for _, k := range s.Commands {
		if k.Verdict != "" {
			continue
		}
		for _, each := range c.stages(s, k.Command) {
			if each.stage.Allow != nil {
				out = append(out, each.stage.Allow.Teams...)
			}
			if a := each.stage.Gates.Approvals; a != nil && (k.Name == "approve" || k.Name == "reject") {
				out = append(out, a.Teams...)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// denied says why somebody may not do to the stages what a command asks for, or "".
func (c *core) denied(s *CommentState, cmd Command, r Result, stages []staged) string {
	for _, each := range stages {
		if !each.stage.allows(s.By, r) {
			return sentence("%s may not `/%s` %s: that takes %s (you have %s). Ask somebody who has it to comment `%s`.%s",
				at(s.By), cmd.Name, each.ref(), each.stage.whom(), role(r), cmd.text(), unread(r))
		}
	}
	return ""
}

// unread adds that teams could not be read, where that may be why somebody may not.
func unread(r Result) string {
	if r.TeamsUnread == "" {
		return ""
	}
	return " Membership in teams could not be read: " + plainText(r.TeamsUnread) + "."
}

// deniedHere is denied for what concerns the whole repository.
func deniedHere(s *CommentState, cmd Command, r Result) string {
	if writes(r) {
		return ""
	}
	return sentence("%s may not `/%s` here: that takes write access to this repository (you have %s). Ask somebody who has it to comment `%s`.",
		at(s.By), cmd.Name, role(r), cmd.text())
}

// text is the command as somebody would write it.
func (cmd Command) text() string {
	return "/" + strings.Join(append([]string{cmd.Name}, plainAll(cmd.Args)...), " ")
}
