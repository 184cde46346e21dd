package families

import (
	"slices"

	"tenon/tools/conform"
	"tenon/tools/format"
)

// list holds every family by name.
var list = []format.Family{
	familyApertus,
	familyApriel,
	familyChatml,
	familyCommandRPlus,
	familyCommandR7b,
	familyDeepseekV3,
	familyDeepseekV31,
	familyDeepseekV32,
	familyDeepseekV4,
	familyDevstral,
	familyErnie45,
	familyFirefunctionV2,
	familyFunctionaryV31,
	familyFunctionaryV32,
	familyFunctiongemma,
	familyGemma,
	familyGemma4,
	familyGigachat3,
	familyGlm45,
	familyGlm47,
	familyGptOss,
	familyGranite3,
	familyGranite4,
	familyHermes,
	familyHunyuanA13b,
	familyHunyuan3,
	familyInternlm25,
	familyJamba,
	familyJson,
	familyKimiK2,
	familyKimiK3,
	familyLaguna,
	familyLfm2,
	familyLfm25,
	familyLing3,
	familyLlama3,
	familyLlama4,
	familyLongcat,
	familyLongcatFlash,
	familyMinicpm5,
	familyMinimaxM1,
	familyMinimaxM2,
	familyMinimaxM3,
	familyMistral,
	familyMistralSmall,
	familyMuse,
	familyNemotronV2,
	familyOlmo3,
	familyPhi,
	familyPhi4Mini,
	familyQwen,
	familyQwen3Coder,
	familyQwen35,
	familyReact,
	familyRwkv,
	familySeedOss,
	familySmollm3,
	familySolarOpen,
	familyStep3,
	familyXlam,
}

var dialects = makeDialects()

func makeDialects() []*format.Dialect {
	all := make([]*format.Dialect, len(list))
	for i, f := range list {
		all[i] = &format.Dialect{Family: f}
	}
	return all
}

// All lists every dialect by name, tenon's own formats among them.
func All() []*format.Dialect { return dialects }

// Lookup finds a dialect by its name or by what it is called elsewhere. Case and separators do not count.
func Lookup(name string) (*format.Dialect, bool) {
	name = conform.Normal(name)
	for _, d := range dialects {
		if conform.Normal(d.Key) == name {
			return d, true
		}
	}
	for _, d := range dialects {
		if slices.ContainsFunc(d.Aliases, func(a string) bool { return conform.Normal(a) == name }) {
			return d, true
		}
	}
	return nil, false
}

// Fallback is the format of models that were taught none: tenon's own JSON.
func Fallback() *format.Dialect {
	d, _ := Lookup("json")
	return d
}
