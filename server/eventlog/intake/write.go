package intake

import "fmt"

// write syncs one group after the other until the queue is closed.
func (q *Queue) write() {
	defer close(q.ended)
	for range q.more {
		q.mu.Lock()
		g, closed := q.group, q.closed
		q.group, q.writing = nil, g != nil
		q.mu.Unlock()
		if g != nil {
			g.err = q.sync(g)
			close(g.done)
			signal(q.some)
		}
		if closed {
			return
		}
	}
}

// sync brings a group to the disk.
func (q *Queue) sync(g *group) error {
	s, err := q.begin()
	if err == nil {
		if _, err = s.file.Write(g.records); err == nil {
			err = s.file.Sync()
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.writing = false
	if err != nil {
		_ = q.giveUp(s) // what is left of it was not taken: it is asked for again
		return fmt.Errorf("sync the intake: %w", err)
	}
	begin := s.size
	for _, i := range g.items {
		q.add(s, i.name, begin+i.at, i.data)
	}
	return nil
}

// begin gives the file that is written to.
func (q *Queue) begin() (*segment, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if s := q.current; s != nil && s.size < q.most {
		return s, nil
	}
	if err := q.giveUp(q.current); err != nil {
		return nil, err
	}
	q.number++
	path := q.pathOf(q.number)
	f, err := q.create(path)
	if err != nil {
		return nil, err
	}
	q.current = &segment{path: path, file: f}
	return q.current, nil
}

// giveUp ends the file that is written to. It goes with the last of its records.
func (q *Queue) giveUp(s *segment) error {
	q.current = nil
	if s == nil || s.items > 0 {
		return nil
	}
	return s.remove()
}
