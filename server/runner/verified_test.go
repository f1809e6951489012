package runner

import (
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/promotion"
)

func TestAuthorsOfVerifiedCommitsAreCredited(t *testing.T) {
	how := recipe{Message: "Promote\n\nStagecoach-Promotion: x\n", Author: &gitops.Ident{Name: "Mona", Email: "monalisa@example.com"}}
	pushed := promotion.Task{Pipeline: &promotion.Pipeline{}}
	if got := credit(pushed, how); got.Author == nil || got.Message != how.Message {
		t.Errorf("a pushed commit became %+v", got)
	}
	signed := promotion.Task{Pipeline: &promotion.Pipeline{Verified: true}}
	got := credit(signed, how)
	if got.Author != nil || !strings.HasSuffix(got.Message, "\n\nStagecoach-Promotion: x\nCo-authored-by: Mona <monalisa@example.com>\n") {
		t.Errorf("a verified commit became %+v", got)
	}
	if promotion.Trailer(got.Message, promotion.TrailerPromotion) != "x" {
		t.Error("the promotion's trailer is lost")
	}
	r := New(Options{})
	if r.maker(pushed) != nil || r.maker(promotion.Task{}) != nil || r.maker(signed) == nil {
		t.Error("the wrong commits go through the API")
	}
}
