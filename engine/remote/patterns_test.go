package remote

import "tenon/engine"

// pattern is what is read of a stream, and how it ends.
type pattern struct {
	text string
	ends engine.Reason // "": as lost
}

const gruss = "Grüß Gott"

// What is called, as it is handed over.
const (
	calledTight = "\n{\"name\": \"weather\", \"arguments\": {\"city\":\"Köln\"}}\n"

	called  = "\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Köln\"}}\n"
	calledT = "\n{\"name\": \"time\", \"arguments\": {}}\n"
)

// S1-14 to 18, S1-26: the streams that upstreams send, in testdata by their API. Another pattern
// is a row here and a transcript.
var patterns = map[API]map[string]pattern{
	LlamaServer: {
		"whole": {gruss, engine.Stop},
		"limit": {gruss, engine.Length},
		// comments, other fields, CRLF, data in two lines
		"lines":          {gruss, engine.Stop},
		"beyond-the-end": {gruss, engine.Stop}, // and then everything again
		"half-utf8":      {"Gr�", engine.Stop},
		"empty":          {"", ""},
		"html":           {"", ""},
		"wrong-json":     {"", ""},
		"unfinished":     {"Grüß", ""},
		"broken-json":    {"Grüß", ""},
		"missing-fields": {"Grüß", ""},
		"error-inside":   {"Grüß", ""},
		"error-line":     {"Grüß", ""},
	},
	VLLM: {
		"whole":          {gruss, engine.Stop},
		"limit":          {gruss, engine.Length},
		"lines":          {gruss, engine.Stop},
		"beyond-the-end": {gruss, engine.Stop},
		"two-ends":       {gruss, engine.Stop},
		// S1-15: events before the first piece
		"early":                         {gruss, engine.Stop},
		"pieces-and-the-whole":          {gruss, engine.Stop}, // S1-14, S1-16
		"pieces-and-the-whole-no-usage": {gruss, engine.Stop},
		"changed-id":                    {"Grüß", ""},         // S1-17: two answers in one
		"id-of-each":                    {gruss, engine.Stop}, // ids that say nothing
		"other-answer":                  {gruss, engine.Stop}, // pieces of another index
		"usage-with-the-end":            {gruss, engine.Stop},
		"continuous-usage":              {gruss, engine.Stop},
		"no-usage":                      {gruss, engine.Stop},
		"no-done":                       {gruss, engine.Stop},
		"half-utf8":                     {"Gr�", engine.Length},
		"empty":                         {"", ""},
		"html":                          {"", ""},
		"wrong-json":                    {"", ""},
		"wrong-types":                   {"Grüß", ""},
		"unfinished":                    {"Grüß", ""},
		"done-too-soon":                 {"Grüß", ""},
		"broken-json":                   {"Grüß", ""},
		"missing-fields":                {"Grüß", ""},
		"error-inside":                  {"Grüß", ""},
		"error-older":                   {"Grüß", ""},
		"aborted":                       {"Grüß", ""},
	},
	SGLang: {
		"whole":                {gruss, engine.Stop}, // each event has all that was said
		"increments":           {gruss, engine.Stop}, // --incremental-streaming-output
		"limit":                {gruss, engine.Length},
		"at-once":              {gruss, engine.Stop},
		"ids-ahead":            {gruss, engine.Stop},
		"duplicates":           {gruss, engine.Stop},
		"duplicate-increments": {gruss, engine.Stop},
		"changed":              {"Grüß", ""}, // S1-17
		"lost-some":            {"Grüß", ""},
		"half-utf8":            {"Gr�", engine.Length},
		"empty":                {"", ""},
		"html":                 {"", ""},
		"wrong-json":           {"", ""},
		"wrong-types":          {"Grüß", ""},
		"unfinished":           {"Grüß", ""},
		"done-too-soon":        {"Grüß", ""},
		"broken-json":          {"Grüß", ""},
		"missing-fields":       {"Grüß", ""},
		"error-inside":         {"Grüß", ""},
		"aborted":              {"Grüß", ""},
	},
	OpenAI: {
		"whole":                {gruss, engine.Stop},
		"limit":                {gruss, engine.Length},
		"no-usage":             {gruss, engine.Stop},
		"null-usage":           {gruss, engine.Stop},
		"empty-reason":         {gruss, engine.Stop},
		"pieces-and-the-whole": {gruss, engine.Stop},
		"whole-only":           {"", ""}, // it does not stream
	},
	Chat: {
		"whole":                           {gruss, engine.Stop},
		"limit":                           {gruss, engine.Length},
		"no-role-no-usage":                {gruss, engine.Stop},
		"no-done":                         {gruss, engine.Stop},
		"empty-reason":                    {gruss, engine.Stop},
		"beyond-the-end":                  {gruss, engine.Stop},
		"pieces-and-the-whole":            {gruss, engine.Stop},
		"pieces-and-the-whole-as-a-delta": {gruss, engine.Stop},
		"other-answer":                    {gruss, engine.Stop},
		"id-of-each":                      {gruss, engine.Stop},
		"refusal":                         {gruss, engine.Stop},
		// Azure's, in events that say nothing
		"filter-results":               {gruss, engine.Stop},
		"thinking":                     {"So. " + gruss, engine.Stop},
		"thinking-by-its-other-name":   {"So. " + gruss, engine.Stop},
		"content-in-parts":             {gruss, engine.Stop},
		"content-in-parts-whole":       {"So. " + gruss, engine.Stop},
		"content-of-other-types":       {gruss, engine.Stop}, // and a note
		"thinking-in-parts":            {"So. " + gruss, engine.Stop},
		"thinking-in-details":          {"So. " + gruss, engine.Stop},
		"refusal-in-parts":             {gruss, engine.Stop},
		"half-utf8":                    {"Gr�", engine.Stop},
		"whole-changed":                {"Grüß", ""},
		"changed-id":                   {"Grüß", ""},
		"empty":                        {"", ""},
		"html":                         {"", ""},
		"wrong-json":                   {"", ""},
		"wrong-types":                  {"Grüß", ""},
		"unfinished":                   {"Grüß", ""},
		"done-too-soon":                {"Grüß", ""},
		"broken-json":                  {"Grüß", ""},
		"missing-fields":               {"Grüß", ""},
		"error-inside":                 {"Grüß", ""},
		"aborted":                      {"Grüß", ""},
		"call":                         {gruss + called, engine.Stop}, // S1-13
		"call-at-once":                 {gruss + called, engine.Stop},
		"call-early":                   {gruss + called, engine.Stop}, // S1-15
		"call-and-the-whole":           {gruss + called, engine.Stop}, // S1-16: equal
		"call-start-end-and-the-whole": {gruss + called, engine.Stop}, // S1-14
		// S1-16: only one is valid
		"call-cut-and-the-whole": {gruss + called, engine.Stop},
		// S1-16: the whole counts
		"call-differs-from-the-whole": {gruss + called, engine.Stop},
		"call-whole-and-a-rest":       {gruss + called, engine.Stop},
		"call-id-of-each-piece":       {gruss + called, engine.Stop},
		"call-twice":                  {gruss + called, engine.Stop},
		"call-name-in-pieces":         {gruss + called, engine.Stop},
		"call-object":                 {gruss + calledTight, engine.Stop},
		"call-null":                   {gruss + calledT, engine.Stop},
		// S1-17
		"call-changed-id": {"Grüß", ""},
		// S1-17: each is whole
		"calls-in-one-place": {gruss + called + calledT, engine.Stop},
		"calls-without-ids":  {gruss + called + calledT, engine.Stop},
		"calls-mixed":        {gruss + called + calledT, engine.Stop},
		"call-cut-off":       {gruss, engine.Length},
		// the server has it written anew
		"call-broken":     {gruss + "\n{\"name\": \"weather\", \"arguments\": {\"city\": [}}\n", engine.Stop},
		"call-nameless":   {gruss + "\n{\"name\": \"\", \"arguments\": {\"city\": \"Köln\"}}\n", engine.Stop},
		"call-unfinished": {"Grüß", ""},
	},
	Messages: {
		"whole":                        {gruss, engine.Stop},
		"limit":                        {gruss, engine.Length},
		"text-in-the-start":            {gruss, engine.Stop},
		"no-stop":                      {gruss, engine.Stop},
		"no-start-no-usage":            {gruss, engine.Stop},
		"unknown-events":               {gruss, engine.Stop},
		"beyond-the-end":               {gruss, engine.Stop},
		"thinking":                     {"So. " + gruss, engine.Stop},
		"half-utf8":                    {"Gr�", engine.Stop},
		"two-starts":                   {"Grüß", ""},
		"empty":                        {"", ""},
		"html":                         {"", ""},
		"wrong-json":                   {"", ""},
		"wrong-types":                  {"Grüß", ""},
		"unfinished":                   {"Grüß", ""},
		"stop-too-soon":                {"Grüß", ""},
		"broken-json":                  {"Grüß", ""},
		"missing-fields":               {"Grüß", ""},
		"missing-block":                {"Grüß", ""},
		"error-inside":                 {"Grüß", ""},
		"call":                         {gruss + called, engine.Stop}, // S1-13
		"call-at-once":                 {gruss + calledTight, engine.Stop},
		"call-early":                   {gruss + called, engine.Stop},      // S1-15
		"call-and-the-whole":           {gruss + calledTight, engine.Stop}, // S1-16
		"call-start-end-and-the-whole": {gruss + calledTight, engine.Stop}, // S1-14
		"call-changed-id":              {"Grüß", ""},                       // S1-17
		"calls-in-one-place":           {gruss + calledTight + calledT, engine.Stop},
		"calls-mixed":                  {gruss + called + calledT, engine.Stop},
		"call-without-arguments":       {gruss + calledT, engine.Stop},
		"call-cut-off":                 {gruss, engine.Length},
		"call-unfinished":              {"Grüß", ""},
	},
}
