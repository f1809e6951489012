package promotion

import "strings"

// The 64 first and 64 second words of an alias. Changing or reordering them
// renames freight that people already speak of: append nothing, change nothing.
var (
	aliasFirst = strings.Fields(`amber ample apt brave brief bright brisk calm
		clear clever cool crisp daring deep eager early easy fair fast fine firm
		fleet fond fresh gentle glad golden grand green happy hardy honest humble
		ivory jolly keen kind level light lively loyal lucky lunar mellow merry mild
		neat nimble noble plain polite proud quick quiet rapid ready royal sharp
		silver smooth solid steady sunny swift`)
	aliasSecond = strings.Fields(`acorn alder anchor aspen badger basin beacon
		beaver birch bison bridge brook canyon cedar cliff comet coral crane
		creek delta dune eagle elm ember falcon fern field finch fjord forest
		fox garden glacier grove harbor hawk heron hill island juniper lagoon
		lark lynx maple marsh meadow moose oak orchard osprey otter pine plover
		prairie raven reef ridge river robin sparrow spruce stone thicket willow`)
)
