package source

import "strings"

// Draft is a version of JSON Schema.
type Draft uint8

const (
	// DraftAuto follows $schema. Without it, keywords of every draft count and 2020-12 decides
	// where drafts differ.
	DraftAuto Draft = iota
	Draft3
	Draft4
	Draft6
	Draft7
	Draft2019
	Draft2020
)

var draftNames = map[string]Draft{
	"json-schema.org/draft-03/schema":      Draft3,
	"json-schema.org/draft-04/schema":      Draft4,
	"json-schema.org/draft-06/schema":      Draft6,
	"json-schema.org/draft-07/schema":      Draft7,
	"json-schema.org/draft/2019-09/schema": Draft2019,
	"json-schema.org/draft/2020-12/schema": Draft2020,
}

// draftOf returns the draft that the URI of a $schema names; otherwise, if it names none.
func draftOf(uri string, otherwise Draft) Draft {
	uri = strings.TrimPrefix(strings.TrimPrefix(uri, "https://"), "http://")
	if d, ok := draftNames[strings.TrimRight(uri, "#")]; ok {
		return d
	}
	return otherwise
}

// RefHidesSiblings reports whether $ref hides the other keywords of its object, as before 2019-09.
func (d Draft) RefHidesSiblings() bool { return Draft3 <= d && d <= Draft7 }

// IntegerBySpelling reports whether 1.0 is no integer, as in drafts 3 and 4.
func (d Draft) IntegerBySpelling() bool { return d == Draft3 || d == Draft4 }

// idKeywords returns the keywords that name a schema resource; the first that is there counts.
func (d Draft) idKeywords() []string {
	switch d {
	case Draft3, Draft4:
		return []string{"id"}
	case DraftAuto:
		return []string{"$id", "id"}
	default:
		return []string{"$id"}
	}
}

// shape is the form of a keyword's value. Those of the validation vocabulary come last.
type shape uint8

const (
	shapeSchema    shape = iota
	shapeSchemas         // array of schemas
	ShapeSchemaMap       // object of schemas
	shapeItems           // schema or array of schemas
	shapeDependencies
	shapeAnchor // boolean
	shapeString
	shapeType
	shapeNameLists // object of arrays of strings
	shapeCount     // non-negative integer
	shapeNumber
	shapePositive
	shapePattern
	shapeBool
	shapeLimit    // exclusiveMinimum: a number, in drafts 3 and 4 a boolean
	shapeRequired // array of strings, in draft 3 a boolean
	shapeList     // array of anything
	shapeAny
)

// Keyword describes a keyword: the form of its value, and the drafts that have it.
type Keyword struct {
	Shape    shape
	from, to Draft
}

// In reports whether draft d has k.
func (k Keyword) In(d Draft) bool {
	return k.from <= d && d <= k.to || d == DraftAuto && k.to != Draft3
}

// IsNumber reports whether the value of k is a number.
func (k Keyword) IsNumber() bool {
	switch k.Shape {
	case shapeCount, shapeNumber, shapePositive, shapeLimit:
		return true
	}
	return false
}

// Validates reports whether k is of the validation vocabulary (2020-12 validation §6).
func (k Keyword) Validates() bool { return k.Shape > shapeString }

// Keywords lists every keyword that package schema acts on, or that holds schemas.
var Keywords = map[string]Keyword{
	"$ref":                  {shapeString, Draft3, Draft2020},
	"$id":                   {shapeString, Draft6, Draft2020},
	"$anchor":               {shapeString, Draft2019, Draft2020},
	"$dynamicAnchor":        {shapeString, Draft2020, Draft2020},
	"$dynamicRef":           {shapeString, Draft2020, Draft2020},
	"$recursiveAnchor":      {shapeAnchor, Draft2019, Draft2019},
	"$recursiveRef":         {shapeString, Draft2019, Draft2019},
	"$defs":                 {ShapeSchemaMap, Draft2019, Draft2020},
	"definitions":           {ShapeSchemaMap, Draft3, Draft2020},
	"type":                  {shapeType, Draft3, Draft2020},
	"enum":                  {shapeList, Draft3, Draft2020},
	"const":                 {shapeAny, Draft6, Draft2020},
	"allOf":                 {shapeSchemas, Draft4, Draft2020},
	"anyOf":                 {shapeSchemas, Draft4, Draft2020},
	"oneOf":                 {shapeSchemas, Draft4, Draft2020},
	"not":                   {shapeSchema, Draft4, Draft2020},
	"extends":               {shapeItems, Draft3, Draft3},
	"disallow":              {shapeType, Draft3, Draft3},
	"if":                    {shapeSchema, Draft7, Draft2020},
	"then":                  {shapeSchema, Draft7, Draft2020},
	"else":                  {shapeSchema, Draft7, Draft2020},
	"properties":            {ShapeSchemaMap, Draft3, Draft2020},
	"patternProperties":     {ShapeSchemaMap, Draft3, Draft2020},
	"additionalProperties":  {shapeSchema, Draft3, Draft2020},
	"propertyNames":         {shapeSchema, Draft6, Draft2020},
	"required":              {shapeRequired, Draft3, Draft2020},
	"minProperties":         {shapeCount, Draft4, Draft2020},
	"maxProperties":         {shapeCount, Draft4, Draft2020},
	"dependencies":          {shapeDependencies, Draft3, Draft7},
	"dependentRequired":     {shapeNameLists, Draft2019, Draft2020},
	"dependentSchemas":      {ShapeSchemaMap, Draft2019, Draft2020},
	"unevaluatedProperties": {shapeSchema, Draft2019, Draft2020},
	"prefixItems":           {shapeSchemas, Draft2020, Draft2020},
	"items":                 {shapeItems, Draft3, Draft2020},
	"additionalItems":       {shapeSchema, Draft3, Draft2019},
	"contains":              {shapeSchema, Draft6, Draft2020},
	"minContains":           {shapeCount, Draft2019, Draft2020},
	"maxContains":           {shapeCount, Draft2019, Draft2020},
	"minItems":              {shapeCount, Draft3, Draft2020},
	"maxItems":              {shapeCount, Draft3, Draft2020},
	"uniqueItems":           {shapeBool, Draft3, Draft2020},
	"unevaluatedItems":      {shapeSchema, Draft2019, Draft2020},
	"minLength":             {shapeCount, Draft3, Draft2020},
	"maxLength":             {shapeCount, Draft3, Draft2020},
	"pattern":               {shapePattern, Draft3, Draft2020},
	"format":                {shapeString, Draft3, Draft2020},
	"minimum":               {shapeNumber, Draft3, Draft2020},
	"maximum":               {shapeNumber, Draft3, Draft2020},
	"exclusiveMinimum":      {shapeLimit, Draft3, Draft2020},
	"exclusiveMaximum":      {shapeLimit, Draft3, Draft2020},
	"multipleOf":            {shapePositive, Draft4, Draft2020},
	"divisibleBy":           {shapePositive, Draft3, Draft3},
}

// Holds says where a keyword's value holds schemas.
type Holds uint8

const (
	NoSchema     Holds = iota
	Schemas            // it is a schema or a list of schemas
	NamedSchemas       // it is an object, whose values are schemas
)

// Holding returns where a keyword holds schemas, in DraftAuto. In dependencies a list of names may
// stand in the place of a schema.
func Holding(keyword string) Holds {
	k, known := Keywords[keyword]
	if !known || !k.In(DraftAuto) {
		return NoSchema
	}
	switch k.Shape {
	case shapeSchema, shapeSchemas, shapeItems:
		return Schemas
	case ShapeSchemaMap, shapeDependencies:
		return NamedSchemas
	}
	return NoSchema
}
