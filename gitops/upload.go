package gitops

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
)

// The filters that every server with filters has, GitHub's included.
// https://git-scm.com/docs/git-rev-list#Documentation/git-rev-list.txt---filterltfilter-specgt
const (
	filterNone    = ""
	filterAll     = "tree:0"          // what is wanted by name, and nothing below it
	filterLarge   = "blob:limit=1m"   // no large files
	filterSmall   = "blob:limit=128k" // small files alone
	maxThin       = 32 << 20          // bytes that one addition may unpack to
	errorNoObject = "not our ref"     // part of the server's sentence
)

var (
	errTooLarge = errors.New("the pack is larger than expected")
	errNotThere = errors.New("the server does not have it")
)

// ask is one question to git-upload-pack.
type ask struct {
	wants  []plumbing.Hash
	haves  []plumbing.Hash // commits whose content need not be sent; the pack may hold deltas against it
	depth  int             // of history, from each commit wanted; 0: all of it
	filter string
}

// upload puts one question: one POST git-upload-pack. read gets the pack.
func (r *Repository) upload(ctx context.Context, q ask, read func(pack io.Reader) error) error {
	body, err := q.encode()
	if err != nil {
		return err
	}
	r.engine.opts.OnFetch(ctx, r.clone.id)
	return r.call(ctx, uploadPack, body, func(answer io.Reader) error {
		return q.decode(answer, read)
	})
}

func (q ask) encode() ([]byte, error) {
	req := packp.NewUploadRequest()
	can := []capability.Capability{capability.OFSDelta, capability.Sideband64k, capability.NoProgress, capability.Shallow}
	if len(q.haves) > 0 {
		can = append(can, capability.ThinPack)
	}
	if q.filter != filterNone {
		can = append(can, capability.Filter)
	}
	for _, c := range can {
		if err := req.Capabilities.Set(c); err != nil {
			return nil, fmt.Errorf("write the question to the server: %w", err)
		}
	}
	req.Wants, req.Filter, req.Depth = q.wants, packp.Filter(q.filter), packp.DepthCommits(q.depth)
	// Without the ancestors of what we have the server must not count on them.
	req.Shallows = q.haves
	var b bytes.Buffer
	err := errors.Join(
		req.Encode(&b),
		(&packp.UploadHaves{Haves: q.haves}).Encode(&b, false),
		pktline.NewEncoder(&b).EncodeString("done\n"),
	)
	if err != nil {
		return nil, fmt.Errorf("write the question to the server: %w", err)
	}
	return b.Bytes(), nil
}

// decode reads past what comes before the pack.
func (q ask) decode(answer io.Reader, read func(pack io.Reader) error) error {
	in := bufio.NewReader(answer)
	if q.depth > 0 {
		if err := new(packp.ShallowUpdate).Decode(in); err != nil {
			return refused(err)
		}
	}
	if err := new(packp.ServerResponse).Decode(in, false); err != nil {
		return refused(err)
	}
	return read(sideband.NewDemuxer(sideband.Sideband64k, in))
}

// refused reads the server's error line.
func refused(err error) error {
	var line *pktline.ErrorLine
	if !errors.As(err, &line) {
		return fmt.Errorf("read the server's answer: %w", err)
	}
	if bytes.Contains([]byte(line.Text), []byte(errorNoObject)) {
		return fmt.Errorf("%w%s", errNotThere, said([]byte(line.Text)))
	}
	return fmt.Errorf("the server refused%s", said([]byte(line.Text)))
}
