/* Generated from schemas/project.schema.json by scripts/generate.mjs; change the schema instead. */
"use strict";export const validate=validate10;const schema11={$schema:"http://json-schema.org/draft-07/schema#",$id:"project.schema.json",type:"object",additionalProperties:!1,
required:["version","name","dataset"],properties:{version:{const:1},name:{type:"string",pattern:"^[A-Za-z0-9][A-Za-z0-9._-]*$"},dataset:{type:"object",minProperties:1,
propertyNames:{$ref:"#/definitions/id"},additionalProperties:{$ref:"#/definitions/dataset"}},environments:{$ref:"#/definitions/environments"},deployments:{$ref:"\
#/definitions/deployments"},validation:{$ref:"#/definitions/validation"},cache:{$ref:"#/definitions/cache"},resources:{$ref:"#/definitions/resources"}},definitions:{
id:{type:"string",pattern:"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"},duration:{type:["string","number"],pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$",exclusiveMinimum:0},
size:{type:["string","integer"],pattern:"^[0-9]+(\\.[0-9]+)?([KMGT]i?)?B?$",exclusiveMinimum:0},glob:{type:"string",pattern:"\\S"},commands:{type:"array",items:{
type:"string",pattern:"\\S"}},dataset:{allOf:[{$ref:"#/definitions/datasetKeys"}],required:["source","format"]},datasetKeys:{type:"object",additionalProperties:!1,
properties:{source:{type:"string",pattern:"\\S"},revision:{type:"string",pattern:"\\S"},split:{type:"string",pattern:"\\S"},format:{type:"string",enum:["swe-ben\
ch","swe-smith","swe-gym","custom","mutation","nested"]},inner:{type:"string",enum:["swe-bench","swe-smith","swe-gym","custom"]},select:{$ref:"#/definitions/sel\
ect"},sources:{type:"object",propertyNames:{$ref:"#/definitions/glob"},additionalProperties:{type:"string",pattern:"^(pypi:[^=\\s]+==\\S+|git\\+\\S+@\\S+|archive:\\S+\
)$"}}}},select:{type:"object",additionalProperties:!1,properties:{match:{type:"string"},sample:{type:"integer",minimum:1},seed:{type:"integer",minimum:0},slice:{
type:"string"}}},environments:{type:"object",additionalProperties:!1,properties:{python:{type:"object",additionalProperties:!1,properties:{provider:{type:"strin\
g",enum:["venv","uv","conda"]},trees:{type:"string",pattern:"\\S"},versions:{type:"object",propertyNames:{type:"string",pattern:"^[0-9]+(\\.[0-9]+){0,2}$"},additionalProperties:{
type:"string",pattern:"^/"}}}},recipes:{type:"array",items:{$ref:"#/definitions/recipe"}}}},recipe:{type:"object",additionalProperties:!1,required:["match"],properties:{
match:{type:"object",additionalProperties:!1,properties:{repo:{allOf:[{$ref:"#/definitions/glob"}]},instance:{allOf:[{$ref:"#/definitions/glob"}]},image:{allOf:[
{$ref:"#/definitions/glob"}]},version:{allOf:[{$ref:"#/definitions/glob"}]}}},python:{type:"string",pattern:"^[0-9]+(\\.[0-9]+){0,2}$"},system:{type:"array",items:{
type:"string",pattern:"^[a-z0-9][a-z0-9+.-]+$"}},pre_install:{allOf:[{$ref:"#/definitions/commands"}]},freeze:{type:"string",pattern:"\\S"},packages:{type:"arra\
y",items:{type:"string",pattern:"^(?!/)(?!.*(^|/)\\.\\.(/|$)).*\\S"}},pip:{type:"array",items:{type:"string",pattern:"^\\s*[^-\\s]"}},install:{allOf:[{$ref:"#/d\
efinitions/commands"}]},env:{type:"object",propertyNames:{type:"string",pattern:"^[A-Za-z_][A-Za-z0-9_]*$"},additionalProperties:{type:"string"}},eval_commands:{
allOf:[{$ref:"#/definitions/commands"}]},test:{type:"string",pattern:"\\S"},parser:{type:"string",pattern:"^[A-Za-z0-9_-]+$"},timeout:{allOf:[{$ref:"#/definitio\
ns/duration"}]}}},deployments:{type:"object",minProperties:1,propertyNames:{$ref:"#/definitions/id"},additionalProperties:{$ref:"#/definitions/deployment"}},deployment:{
type:"object",additionalProperties:!1,properties:{type:{type:"string",enum:["auto","sandbox","local"]},limits:{type:"object",additionalProperties:!1,properties:{
memory:{allOf:[{$ref:"#/definitions/size"}]},pids:{type:"integer",minimum:1},disk:{allOf:[{$ref:"#/definitions/size"}]},cpus:{type:"number",exclusiveMinimum:0}}},
network:{type:"object",additionalProperties:!1,properties:{build:{type:"string",enum:["off","proxy","host"]},rollout:{type:"string",enum:["off","proxy","host"]},
grade:{type:"string",enum:["off","proxy","host"]}}},allow_hosts:{type:"array",items:{type:"string",pattern:"^(\\*\\.)?[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\\.[A-\
Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*(:[0-9]{1,5})?$"}},mounts:{type:"array",items:{type:"object",additionalProperties:!1,required:["from","to"],properties:{from:{
type:"string",pattern:"\\S"},to:{type:"string",pattern:"^/"}}}}}},validation:{type:"object",additionalProperties:!1,properties:{deployment:{type:"string"},dataset:{
type:"string"},gold_runs:{type:"integer",minimum:1},timeout:{allOf:[{$ref:"#/definitions/duration"}]},allow_isolation:{type:"string",enum:["sandbox","local"]}}},
cache:{type:"object",additionalProperties:!1,properties:{folder:{type:"string",pattern:"\\S"},max_size:{allOf:[{$ref:"#/definitions/size"}]}}},resources:{type:"\
object",additionalProperties:!1,properties:{cpu:{type:"integer",minimum:1},sandbox:{type:"integer",minimum:1}}}}},schema12={type:"string",pattern:"^[A-Za-z0-9][\
A-Za-z0-9_-]{0,63}$"},schema36={type:"object",additionalProperties:!1,properties:{cpu:{type:"integer",minimum:1},sandbox:{type:"integer",minimum:1}}},pattern0=new RegExp(
"^[A-Za-z0-9][A-Za-z0-9._-]*$","u"),pattern1=new RegExp("^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$","u"),schema13={allOf:[{$ref:"#/definitions/datasetKeys"}],required:["\
source","format"]},schema14={type:"object",additionalProperties:!1,properties:{source:{type:"string",pattern:"\\S"},revision:{type:"string",pattern:"\\S"},split:{
type:"string",pattern:"\\S"},format:{type:"string",enum:["swe-bench","swe-smith","swe-gym","custom","mutation","nested"]},inner:{type:"string",enum:["swe-bench",
"swe-smith","swe-gym","custom"]},select:{$ref:"#/definitions/select"},sources:{type:"object",propertyNames:{$ref:"#/definitions/glob"},additionalProperties:{type:"\
string",pattern:"^(pypi:[^=\\s]+==\\S+|git\\+\\S+@\\S+|archive:\\S+)$"}}}},schema15={type:"object",additionalProperties:!1,properties:{match:{type:"string"},sample:{
type:"integer",minimum:1},seed:{type:"integer",minimum:0},slice:{type:"string"}}},schema16={type:"string",pattern:"\\S"},pattern2=new RegExp("\\S","u"),pattern6=new RegExp(
"^(pypi:[^=\\s]+==\\S+|git\\+\\S+@\\S+|archive:\\S+)$","u");function validate12(data,{instancePath="",parentData,parentDataProperty,rootData=data}={}){let vErrors=null,
errors=0;if(data&&typeof data=="object"&&!Array.isArray(data)){for(const key0 in data)if(!(key0==="source"||key0==="revision"||key0==="split"||key0==="format"||
key0==="inner"||key0==="select"||key0==="sources")){const err0={instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key0}};
vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}if(data.source!==void 0){let data0=data.source;if(typeof data0=="string"){if(!pattern2.test(data0)){const err1={
instancePath:instancePath+"/source",schemaPath:"#/properties/source/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err1]:vErrors.push(
err1),errors++}}else{const err2={instancePath:instancePath+"/source",schemaPath:"#/properties/source/type",keyword:"type",params:{type:"string"}};vErrors===null?
vErrors=[err2]:vErrors.push(err2),errors++}}if(data.revision!==void 0){let data1=data.revision;if(typeof data1=="string"){if(!pattern2.test(data1)){const err3={
instancePath:instancePath+"/revision",schemaPath:"#/properties/revision/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err3]:vErrors.
push(err3),errors++}}else{const err4={instancePath:instancePath+"/revision",schemaPath:"#/properties/revision/type",keyword:"type",params:{type:"string"}};vErrors===
null?vErrors=[err4]:vErrors.push(err4),errors++}}if(data.split!==void 0){let data2=data.split;if(typeof data2=="string"){if(!pattern2.test(data2)){const err5={instancePath:instancePath+
"/split",schemaPath:"#/properties/split/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err5]:vErrors.push(err5),errors++}}else{const err6={
instancePath:instancePath+"/split",schemaPath:"#/properties/split/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err6]:vErrors.push(err6),
errors++}}if(data.format!==void 0){let data3=data.format;if(typeof data3!="string"){const err7={instancePath:instancePath+"/format",schemaPath:"#/properties/for\
mat/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err7]:vErrors.push(err7),errors++}if(!(data3==="swe-bench"||data3==="swe-smith"||data3===
"swe-gym"||data3==="custom"||data3==="mutation"||data3==="nested")){const err8={instancePath:instancePath+"/format",schemaPath:"#/properties/format/enum",keyword:"\
enum",params:{allowedValues:schema14.properties.format.enum}};vErrors===null?vErrors=[err8]:vErrors.push(err8),errors++}}if(data.inner!==void 0){let data4=data.
inner;if(typeof data4!="string"){const err9={instancePath:instancePath+"/inner",schemaPath:"#/properties/inner/type",keyword:"type",params:{type:"string"}};vErrors===
null?vErrors=[err9]:vErrors.push(err9),errors++}if(!(data4==="swe-bench"||data4==="swe-smith"||data4==="swe-gym"||data4==="custom")){const err10={instancePath:instancePath+
"/inner",schemaPath:"#/properties/inner/enum",keyword:"enum",params:{allowedValues:schema14.properties.inner.enum}};vErrors===null?vErrors=[err10]:vErrors.push(
err10),errors++}}if(data.select!==void 0){let data5=data.select;if(data5&&typeof data5=="object"&&!Array.isArray(data5)){for(const key1 in data5)if(!(key1==="ma\
tch"||key1==="sample"||key1==="seed"||key1==="slice")){const err11={instancePath:instancePath+"/select",schemaPath:"#/definitions/select/additionalProperties",keyword:"\
additionalProperties",params:{additionalProperty:key1}};vErrors===null?vErrors=[err11]:vErrors.push(err11),errors++}if(data5.match!==void 0&&typeof data5.match!=
"string"){const err12={instancePath:instancePath+"/select/match",schemaPath:"#/definitions/select/properties/match/type",keyword:"type",params:{type:"string"}};
vErrors===null?vErrors=[err12]:vErrors.push(err12),errors++}if(data5.sample!==void 0){let data7=data5.sample;if(!(typeof data7=="number"&&!(data7%1)&&!isNaN(data7))){
const err13={instancePath:instancePath+"/select/sample",schemaPath:"#/definitions/select/properties/sample/type",keyword:"type",params:{type:"integer"}};vErrors===
null?vErrors=[err13]:vErrors.push(err13),errors++}if(typeof data7=="number"&&(data7<1||isNaN(data7))){const err14={instancePath:instancePath+"/select/sample",schemaPath:"\
#/definitions/select/properties/sample/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err14]:vErrors.push(err14),errors++}}
if(data5.seed!==void 0){let data8=data5.seed;if(!(typeof data8=="number"&&!(data8%1)&&!isNaN(data8))){const err15={instancePath:instancePath+"/select/seed",schemaPath:"\
#/definitions/select/properties/seed/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err15]:vErrors.push(err15),errors++}if(typeof data8==
"number"&&(data8<0||isNaN(data8))){const err16={instancePath:instancePath+"/select/seed",schemaPath:"#/definitions/select/properties/seed/minimum",keyword:"mini\
mum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err16]:vErrors.push(err16),errors++}}if(data5.slice!==void 0&&typeof data5.slice!="string"){const err17={
instancePath:instancePath+"/select/slice",schemaPath:"#/definitions/select/properties/slice/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=
[err17]:vErrors.push(err17),errors++}}else{const err18={instancePath:instancePath+"/select",schemaPath:"#/definitions/select/type",keyword:"type",params:{type:"\
object"}};vErrors===null?vErrors=[err18]:vErrors.push(err18),errors++}}if(data.sources!==void 0){let data10=data.sources;if(data10&&typeof data10=="object"&&!Array.
isArray(data10)){for(const key2 in data10){const _errs26=errors;if(typeof key2=="string"){if(!pattern2.test(key2)){const err19={instancePath:instancePath+"/sour\
ces",schemaPath:"#/definitions/glob/pattern",keyword:"pattern",params:{pattern:"\\S"},propertyName:key2};vErrors===null?vErrors=[err19]:vErrors.push(err19),errors++}}else{
const err20={instancePath:instancePath+"/sources",schemaPath:"#/definitions/glob/type",keyword:"type",params:{type:"string"},propertyName:key2};vErrors===null?vErrors=
[err20]:vErrors.push(err20),errors++}var valid3=_errs26===errors;if(!valid3){const err21={instancePath:instancePath+"/sources",schemaPath:"#/properties/sources/\
propertyNames",keyword:"propertyNames",params:{propertyName:key2}};vErrors===null?vErrors=[err21]:vErrors.push(err21),errors++}}for(const key3 in data10){let data11=data10[key3];
if(typeof data11=="string"){if(!pattern6.test(data11)){const err22={instancePath:instancePath+"/sources/"+key3.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"\
#/properties/sources/additionalProperties/pattern",keyword:"pattern",params:{pattern:"^(pypi:[^=\\s]+==\\S+|git\\+\\S+@\\S+|archive:\\S+)$"}};vErrors===null?vErrors=
[err22]:vErrors.push(err22),errors++}}else{const err23={instancePath:instancePath+"/sources/"+key3.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properti\
es/sources/additionalProperties/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err23]:vErrors.push(err23),errors++}}}else{const err24={instancePath:instancePath+
"/sources",schemaPath:"#/properties/sources/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err24]:vErrors.push(err24),errors++}}}else{const err25={
instancePath,schemaPath:"#/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err25]:vErrors.push(err25),errors++}return validate12.errors=vErrors,
errors===0}function validate11(data,{instancePath="",parentData,parentDataProperty,rootData=data}={}){let vErrors=null,errors=0;if(validate12(data,{instancePath,
parentData,parentDataProperty,rootData})||(vErrors=vErrors===null?validate12.errors:vErrors.concat(validate12.errors),errors=vErrors.length),data&&typeof data==
"object"&&!Array.isArray(data)){if(data.source===void 0){const err0={instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty:"source"}};
vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}if(data.format===void 0){const err1={instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty:"\
format"}};vErrors===null?vErrors=[err1]:vErrors.push(err1),errors++}}return validate11.errors=vErrors,errors===0}const schema17={type:"object",additionalProperties:!1,
properties:{python:{type:"object",additionalProperties:!1,properties:{provider:{type:"string",enum:["venv","uv","conda"]},trees:{type:"string",pattern:"\\S"},versions:{
type:"object",propertyNames:{type:"string",pattern:"^[0-9]+(\\.[0-9]+){0,2}$"},additionalProperties:{type:"string",pattern:"^/"}}}},recipes:{type:"array",items:{
$ref:"#/definitions/recipe"}}}},pattern8=new RegExp("^[0-9]+(\\.[0-9]+){0,2}$","u"),pattern9=new RegExp("^/","u"),schema18={type:"object",additionalProperties:!1,
required:["match"],properties:{match:{type:"object",additionalProperties:!1,properties:{repo:{allOf:[{$ref:"#/definitions/glob"}]},instance:{allOf:[{$ref:"#/def\
initions/glob"}]},image:{allOf:[{$ref:"#/definitions/glob"}]},version:{allOf:[{$ref:"#/definitions/glob"}]}}},python:{type:"string",pattern:"^[0-9]+(\\.[0-9]+){0\
,2}$"},system:{type:"array",items:{type:"string",pattern:"^[a-z0-9][a-z0-9+.-]+$"}},pre_install:{allOf:[{$ref:"#/definitions/commands"}]},freeze:{type:"string",
pattern:"\\S"},packages:{type:"array",items:{type:"string",pattern:"^(?!/)(?!.*(^|/)\\.\\.(/|$)).*\\S"}},pip:{type:"array",items:{type:"string",pattern:"^\\s*[^-\
\\s]"}},install:{allOf:[{$ref:"#/definitions/commands"}]},env:{type:"object",propertyNames:{type:"string",pattern:"^[A-Za-z_][A-Za-z0-9_]*$"},additionalProperties:{
type:"string"}},eval_commands:{allOf:[{$ref:"#/definitions/commands"}]},test:{type:"string",pattern:"\\S"},parser:{type:"string",pattern:"^[A-Za-z0-9_-]+$"},timeout:{
allOf:[{$ref:"#/definitions/duration"}]}}},schema23={type:"array",items:{type:"string",pattern:"\\S"}},schema26={type:["string","number"],pattern:"^[0-9]+(\\.[0-\
9]+)?(ms|s|m|h|d)?$",exclusiveMinimum:0},func2=Object.prototype.hasOwnProperty,pattern15=new RegExp("^[a-z0-9][a-z0-9+.-]+$","u"),pattern18=new RegExp("^(?!/)(?\
!.*(^|/)\\.\\.(/|$)).*\\S","u"),pattern19=new RegExp("^\\s*[^-\\s]","u"),pattern21=new RegExp("^[A-Za-z_][A-Za-z0-9_]*$","u"),pattern24=new RegExp("^[A-Za-z0-9_\
-]+$","u"),pattern25=new RegExp("^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$","u");function validate16(data,{instancePath="",parentData,parentDataProperty,rootData=data}={}){
let vErrors=null,errors=0;if(data&&typeof data=="object"&&!Array.isArray(data)){if(data.match===void 0){const err0={instancePath,schemaPath:"#/required",keyword:"\
required",params:{missingProperty:"match"}};vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}for(const key0 in data)if(!func2.call(schema18.properties,
key0)){const err1={instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key0}};vErrors===null?vErrors=[err1]:
vErrors.push(err1),errors++}if(data.match!==void 0){let data0=data.match;if(data0&&typeof data0=="object"&&!Array.isArray(data0)){for(const key1 in data0)if(!(key1===
"repo"||key1==="instance"||key1==="image"||key1==="version")){const err2={instancePath:instancePath+"/match",schemaPath:"#/properties/match/additionalProperties",
keyword:"additionalProperties",params:{additionalProperty:key1}};vErrors===null?vErrors=[err2]:vErrors.push(err2),errors++}if(data0.repo!==void 0){let data1=data0.
repo;if(typeof data1=="string"){if(!pattern2.test(data1)){const err3={instancePath:instancePath+"/match/repo",schemaPath:"#/definitions/glob/pattern",keyword:"p\
attern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}}else{const err4={instancePath:instancePath+"/match/repo",schemaPath:"\
#/definitions/glob/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err4]:vErrors.push(err4),errors++}}if(data0.instance!==void 0){let data2=data0.
instance;if(typeof data2=="string"){if(!pattern2.test(data2)){const err5={instancePath:instancePath+"/match/instance",schemaPath:"#/definitions/glob/pattern",keyword:"\
pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err5]:vErrors.push(err5),errors++}}else{const err6={instancePath:instancePath+"/match/instance",schemaPath:"\
#/definitions/glob/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err6]:vErrors.push(err6),errors++}}if(data0.image!==void 0){let data3=data0.
image;if(typeof data3=="string"){if(!pattern2.test(data3)){const err7={instancePath:instancePath+"/match/image",schemaPath:"#/definitions/glob/pattern",keyword:"\
pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err7]:vErrors.push(err7),errors++}}else{const err8={instancePath:instancePath+"/match/image",schemaPath:"\
#/definitions/glob/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err8]:vErrors.push(err8),errors++}}if(data0.version!==void 0){let data4=data0.
version;if(typeof data4=="string"){if(!pattern2.test(data4)){const err9={instancePath:instancePath+"/match/version",schemaPath:"#/definitions/glob/pattern",keyword:"\
pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err9]:vErrors.push(err9),errors++}}else{const err10={instancePath:instancePath+"/match/version",schemaPath:"\
#/definitions/glob/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err10]:vErrors.push(err10),errors++}}}else{const err11={instancePath:instancePath+
"/match",schemaPath:"#/properties/match/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err11]:vErrors.push(err11),errors++}}if(data.python!==
void 0){let data5=data.python;if(typeof data5=="string"){if(!pattern8.test(data5)){const err12={instancePath:instancePath+"/python",schemaPath:"#/properties/pyt\
hon/pattern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+){0,2}$"}};vErrors===null?vErrors=[err12]:vErrors.push(err12),errors++}}else{const err13={instancePath:instancePath+
"/python",schemaPath:"#/properties/python/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err13]:vErrors.push(err13),errors++}}if(data.system!==
void 0){let data6=data.system;if(Array.isArray(data6)){const len0=data6.length;for(let i0=0;i0<len0;i0++){let data7=data6[i0];if(typeof data7=="string"){if(!pattern15.
test(data7)){const err14={instancePath:instancePath+"/system/"+i0,schemaPath:"#/properties/system/items/pattern",keyword:"pattern",params:{pattern:"^[a-z0-9][a-\
z0-9+.-]+$"}};vErrors===null?vErrors=[err14]:vErrors.push(err14),errors++}}else{const err15={instancePath:instancePath+"/system/"+i0,schemaPath:"#/properties/sy\
stem/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err15]:vErrors.push(err15),errors++}}}else{const err16={instancePath:instancePath+
"/system",schemaPath:"#/properties/system/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err16]:vErrors.push(err16),errors++}}if(data.pre_install!==
void 0){let data8=data.pre_install;if(Array.isArray(data8)){const len1=data8.length;for(let i1=0;i1<len1;i1++){let data9=data8[i1];if(typeof data9=="string"){if(!pattern2.
test(data9)){const err17={instancePath:instancePath+"/pre_install/"+i1,schemaPath:"#/definitions/commands/items/pattern",keyword:"pattern",params:{pattern:"\\S"}};
vErrors===null?vErrors=[err17]:vErrors.push(err17),errors++}}else{const err18={instancePath:instancePath+"/pre_install/"+i1,schemaPath:"#/definitions/commands/i\
tems/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err18]:vErrors.push(err18),errors++}}}else{const err19={instancePath:instancePath+"/pr\
e_install",schemaPath:"#/definitions/commands/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err19]:vErrors.push(err19),errors++}}if(data.freeze!==
void 0){let data10=data.freeze;if(typeof data10=="string"){if(!pattern2.test(data10)){const err20={instancePath:instancePath+"/freeze",schemaPath:"#/properties/\
freeze/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err20]:vErrors.push(err20),errors++}}else{const err21={instancePath:instancePath+
"/freeze",schemaPath:"#/properties/freeze/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err21]:vErrors.push(err21),errors++}}if(data.packages!==
void 0){let data11=data.packages;if(Array.isArray(data11)){const len2=data11.length;for(let i2=0;i2<len2;i2++){let data12=data11[i2];if(typeof data12=="string"){
if(!pattern18.test(data12)){const err22={instancePath:instancePath+"/packages/"+i2,schemaPath:"#/properties/packages/items/pattern",keyword:"pattern",params:{pattern:"\
^(?!/)(?!.*(^|/)\\.\\.(/|$)).*\\S"}};vErrors===null?vErrors=[err22]:vErrors.push(err22),errors++}}else{const err23={instancePath:instancePath+"/packages/"+i2,schemaPath:"\
#/properties/packages/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err23]:vErrors.push(err23),errors++}}}else{const err24={instancePath:instancePath+
"/packages",schemaPath:"#/properties/packages/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err24]:vErrors.push(err24),errors++}}if(data.pip!==
void 0){let data13=data.pip;if(Array.isArray(data13)){const len3=data13.length;for(let i3=0;i3<len3;i3++){let data14=data13[i3];if(typeof data14=="string"){if(!pattern19.
test(data14)){const err25={instancePath:instancePath+"/pip/"+i3,schemaPath:"#/properties/pip/items/pattern",keyword:"pattern",params:{pattern:"^\\s*[^-\\s]"}};vErrors===
null?vErrors=[err25]:vErrors.push(err25),errors++}}else{const err26={instancePath:instancePath+"/pip/"+i3,schemaPath:"#/properties/pip/items/type",keyword:"type",
params:{type:"string"}};vErrors===null?vErrors=[err26]:vErrors.push(err26),errors++}}}else{const err27={instancePath:instancePath+"/pip",schemaPath:"#/propertie\
s/pip/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err27]:vErrors.push(err27),errors++}}if(data.install!==void 0){let data15=data.install;
if(Array.isArray(data15)){const len4=data15.length;for(let i4=0;i4<len4;i4++){let data16=data15[i4];if(typeof data16=="string"){if(!pattern2.test(data16)){const err28={
instancePath:instancePath+"/install/"+i4,schemaPath:"#/definitions/commands/items/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err28]:
vErrors.push(err28),errors++}}else{const err29={instancePath:instancePath+"/install/"+i4,schemaPath:"#/definitions/commands/items/type",keyword:"type",params:{type:"\
string"}};vErrors===null?vErrors=[err29]:vErrors.push(err29),errors++}}}else{const err30={instancePath:instancePath+"/install",schemaPath:"#/definitions/command\
s/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err30]:vErrors.push(err30),errors++}}if(data.env!==void 0){let data17=data.env;if(data17&&
typeof data17=="object"&&!Array.isArray(data17)){for(const key2 in data17){const _errs51=errors;if(typeof key2=="string"){if(!pattern21.test(key2)){const err31={
instancePath:instancePath+"/env",schemaPath:"#/properties/env/propertyNames/pattern",keyword:"pattern",params:{pattern:"^[A-Za-z_][A-Za-z0-9_]*$"},propertyName:key2};
vErrors===null?vErrors=[err31]:vErrors.push(err31),errors++}}else{const err32={instancePath:instancePath+"/env",schemaPath:"#/properties/env/propertyNames/type",
keyword:"type",params:{type:"string"},propertyName:key2};vErrors===null?vErrors=[err32]:vErrors.push(err32),errors++}var valid24=_errs51===errors;if(!valid24){const err33={
instancePath:instancePath+"/env",schemaPath:"#/properties/env/propertyNames",keyword:"propertyNames",params:{propertyName:key2}};vErrors===null?vErrors=[err33]:
vErrors.push(err33),errors++}}for(const key3 in data17)if(typeof data17[key3]!="string"){const err34={instancePath:instancePath+"/env/"+key3.replace(/~/g,"~0").
replace(/\//g,"~1"),schemaPath:"#/properties/env/additionalProperties/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err34]:vErrors.push(err34),
errors++}}else{const err35={instancePath:instancePath+"/env",schemaPath:"#/properties/env/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err35]:
vErrors.push(err35),errors++}}if(data.eval_commands!==void 0){let data19=data.eval_commands;if(Array.isArray(data19)){const len5=data19.length;for(let i5=0;i5<len5;i5++){
let data20=data19[i5];if(typeof data20=="string"){if(!pattern2.test(data20)){const err36={instancePath:instancePath+"/eval_commands/"+i5,schemaPath:"#/definitio\
ns/commands/items/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err36]:vErrors.push(err36),errors++}}else{const err37={instancePath:instancePath+
"/eval_commands/"+i5,schemaPath:"#/definitions/commands/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err37]:vErrors.push(err37),errors++}}}else{
const err38={instancePath:instancePath+"/eval_commands",schemaPath:"#/definitions/commands/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err38]:
vErrors.push(err38),errors++}}if(data.test!==void 0){let data21=data.test;if(typeof data21=="string"){if(!pattern2.test(data21)){const err39={instancePath:instancePath+
"/test",schemaPath:"#/properties/test/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err39]:vErrors.push(err39),errors++}}else{const err40={
instancePath:instancePath+"/test",schemaPath:"#/properties/test/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err40]:vErrors.push(err40),
errors++}}if(data.parser!==void 0){let data22=data.parser;if(typeof data22=="string"){if(!pattern24.test(data22)){const err41={instancePath:instancePath+"/parse\
r",schemaPath:"#/properties/parser/pattern",keyword:"pattern",params:{pattern:"^[A-Za-z0-9_-]+$"}};vErrors===null?vErrors=[err41]:vErrors.push(err41),errors++}}else{
const err42={instancePath:instancePath+"/parser",schemaPath:"#/properties/parser/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err42]:vErrors.
push(err42),errors++}}if(data.timeout!==void 0){let data23=data.timeout;if(typeof data23!="string"&&typeof data23!="number"){const err43={instancePath:instancePath+
"/timeout",schemaPath:"#/definitions/duration/type",keyword:"type",params:{type:schema26.type}};vErrors===null?vErrors=[err43]:vErrors.push(err43),errors++}if(typeof data23==
"number"&&(data23<=0||isNaN(data23))){const err44={instancePath:instancePath+"/timeout",schemaPath:"#/definitions/duration/exclusiveMinimum",keyword:"exclusiveM\
inimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err44]:vErrors.push(err44),errors++}if(typeof data23=="string"&&!pattern25.test(data23)){const err45={
instancePath:instancePath+"/timeout",schemaPath:"#/definitions/duration/pattern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===
null?vErrors=[err45]:vErrors.push(err45),errors++}}}else{const err46={instancePath,schemaPath:"#/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=
[err46]:vErrors.push(err46),errors++}return validate16.errors=vErrors,errors===0}function validate15(data,{instancePath="",parentData,parentDataProperty,rootData=data}={}){
let vErrors=null,errors=0;if(data&&typeof data=="object"&&!Array.isArray(data)){for(const key0 in data)if(!(key0==="python"||key0==="recipes")){const err0={instancePath,
schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key0}};vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}if(data.
python!==void 0){let data0=data.python;if(data0&&typeof data0=="object"&&!Array.isArray(data0)){for(const key1 in data0)if(!(key1==="provider"||key1==="trees"||
key1==="versions")){const err1={instancePath:instancePath+"/python",schemaPath:"#/properties/python/additionalProperties",keyword:"additionalProperties",params:{
additionalProperty:key1}};vErrors===null?vErrors=[err1]:vErrors.push(err1),errors++}if(data0.provider!==void 0){let data1=data0.provider;if(typeof data1!="strin\
g"){const err2={instancePath:instancePath+"/python/provider",schemaPath:"#/properties/python/properties/provider/type",keyword:"type",params:{type:"string"}};vErrors===
null?vErrors=[err2]:vErrors.push(err2),errors++}if(!(data1==="venv"||data1==="uv"||data1==="conda")){const err3={instancePath:instancePath+"/python/provider",schemaPath:"\
#/properties/python/properties/provider/enum",keyword:"enum",params:{allowedValues:schema17.properties.python.properties.provider.enum}};vErrors===null?vErrors=
[err3]:vErrors.push(err3),errors++}}if(data0.trees!==void 0){let data2=data0.trees;if(typeof data2=="string"){if(!pattern2.test(data2)){const err4={instancePath:instancePath+
"/python/trees",schemaPath:"#/properties/python/properties/trees/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err4]:vErrors.push(err4),
errors++}}else{const err5={instancePath:instancePath+"/python/trees",schemaPath:"#/properties/python/properties/trees/type",keyword:"type",params:{type:"string"}};
vErrors===null?vErrors=[err5]:vErrors.push(err5),errors++}}if(data0.versions!==void 0){let data3=data0.versions;if(data3&&typeof data3=="object"&&!Array.isArray(
data3)){for(const key2 in data3){const _errs11=errors;if(typeof key2=="string"){if(!pattern8.test(key2)){const err6={instancePath:instancePath+"/python/versions",
schemaPath:"#/properties/python/properties/versions/propertyNames/pattern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+){0,2}$"},propertyName:key2};vErrors===
null?vErrors=[err6]:vErrors.push(err6),errors++}}else{const err7={instancePath:instancePath+"/python/versions",schemaPath:"#/properties/python/properties/versio\
ns/propertyNames/type",keyword:"type",params:{type:"string"},propertyName:key2};vErrors===null?vErrors=[err7]:vErrors.push(err7),errors++}var valid2=_errs11===errors;
if(!valid2){const err8={instancePath:instancePath+"/python/versions",schemaPath:"#/properties/python/properties/versions/propertyNames",keyword:"propertyNames",
params:{propertyName:key2}};vErrors===null?vErrors=[err8]:vErrors.push(err8),errors++}}for(const key3 in data3){let data4=data3[key3];if(typeof data4=="string"){
if(!pattern9.test(data4)){const err9={instancePath:instancePath+"/python/versions/"+key3.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/python/\
properties/versions/additionalProperties/pattern",keyword:"pattern",params:{pattern:"^/"}};vErrors===null?vErrors=[err9]:vErrors.push(err9),errors++}}else{const err10={
instancePath:instancePath+"/python/versions/"+key3.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/python/properties/versions/additionalProperti\
es/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err10]:vErrors.push(err10),errors++}}}else{const err11={instancePath:instancePath+"/pyth\
on/versions",schemaPath:"#/properties/python/properties/versions/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err11]:vErrors.push(err11),
errors++}}}else{const err12={instancePath:instancePath+"/python",schemaPath:"#/properties/python/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=
[err12]:vErrors.push(err12),errors++}}if(data.recipes!==void 0){let data5=data.recipes;if(Array.isArray(data5)){const len0=data5.length;for(let i0=0;i0<len0;i0++)
validate16(data5[i0],{instancePath:instancePath+"/recipes/"+i0,parentData:data5,parentDataProperty:i0,rootData})||(vErrors=vErrors===null?validate16.errors:vErrors.
concat(validate16.errors),errors=vErrors.length)}else{const err13={instancePath:instancePath+"/recipes",schemaPath:"#/properties/recipes/type",keyword:"type",params:{
type:"array"}};vErrors===null?vErrors=[err13]:vErrors.push(err13),errors++}}}else{const err14={instancePath,schemaPath:"#/type",keyword:"type",params:{type:"obj\
ect"}};vErrors===null?vErrors=[err14]:vErrors.push(err14),errors++}return validate15.errors=vErrors,errors===0}const schema27={type:"object",minProperties:1,propertyNames:{
$ref:"#/definitions/id"},additionalProperties:{$ref:"#/definitions/deployment"}},schema29={type:"object",additionalProperties:!1,properties:{type:{type:"string",
enum:["auto","sandbox","local"]},limits:{type:"object",additionalProperties:!1,properties:{memory:{allOf:[{$ref:"#/definitions/size"}]},pids:{type:"integer",minimum:1},
disk:{allOf:[{$ref:"#/definitions/size"}]},cpus:{type:"number",exclusiveMinimum:0}}},network:{type:"object",additionalProperties:!1,properties:{build:{type:"str\
ing",enum:["off","proxy","host"]},rollout:{type:"string",enum:["off","proxy","host"]},grade:{type:"string",enum:["off","proxy","host"]}}},allow_hosts:{type:"arr\
ay",items:{type:"string",pattern:"^(\\*\\.)?[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*(:[0-9]{1,5})?$"}},mounts:{type:"a\
rray",items:{type:"object",additionalProperties:!1,required:["from","to"],properties:{from:{type:"string",pattern:"\\S"},to:{type:"string",pattern:"^/"}}}}}},schema30={
type:["string","integer"],pattern:"^[0-9]+(\\.[0-9]+)?([KMGT]i?)?B?$",exclusiveMinimum:0},pattern27=new RegExp("^[0-9]+(\\.[0-9]+)?([KMGT]i?)?B?$","u"),pattern29=new RegExp(
"^(\\*\\.)?[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*(:[0-9]{1,5})?$","u");function validate20(data,{instancePath="",parentData,
parentDataProperty,rootData=data}={}){let vErrors=null,errors=0;if(data&&typeof data=="object"&&!Array.isArray(data)){for(const key0 in data)if(!(key0==="type"||
key0==="limits"||key0==="network"||key0==="allow_hosts"||key0==="mounts")){const err0={instancePath,schemaPath:"#/additionalProperties",keyword:"additionalPrope\
rties",params:{additionalProperty:key0}};vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}if(data.type!==void 0){let data0=data.type;if(typeof data0!="\
string"){const err1={instancePath:instancePath+"/type",schemaPath:"#/properties/type/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err1]:
vErrors.push(err1),errors++}if(!(data0==="auto"||data0==="sandbox"||data0==="local")){const err2={instancePath:instancePath+"/type",schemaPath:"#/properties/typ\
e/enum",keyword:"enum",params:{allowedValues:schema29.properties.type.enum}};vErrors===null?vErrors=[err2]:vErrors.push(err2),errors++}}if(data.limits!==void 0){
let data1=data.limits;if(data1&&typeof data1=="object"&&!Array.isArray(data1)){for(const key1 in data1)if(!(key1==="memory"||key1==="pids"||key1==="disk"||key1===
"cpus")){const err3={instancePath:instancePath+"/limits",schemaPath:"#/properties/limits/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key1}};
vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}if(data1.memory!==void 0){let data2=data1.memory;if(typeof data2!="string"&&!(typeof data2=="number"&&
!(data2%1)&&!isNaN(data2))){const err4={instancePath:instancePath+"/limits/memory",schemaPath:"#/definitions/size/type",keyword:"type",params:{type:schema30.type}};
vErrors===null?vErrors=[err4]:vErrors.push(err4),errors++}if(typeof data2=="number"&&(data2<=0||isNaN(data2))){const err5={instancePath:instancePath+"/limits/me\
mory",schemaPath:"#/definitions/size/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err5]:vErrors.push(err5),
errors++}if(typeof data2=="string"&&!pattern27.test(data2)){const err6={instancePath:instancePath+"/limits/memory",schemaPath:"#/definitions/size/pattern",keyword:"\
pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?([KMGT]i?)?B?$"}};vErrors===null?vErrors=[err6]:vErrors.push(err6),errors++}}if(data1.pids!==void 0){let data3=data1.
pids;if(!(typeof data3=="number"&&!(data3%1)&&!isNaN(data3))){const err7={instancePath:instancePath+"/limits/pids",schemaPath:"#/properties/limits/properties/pi\
ds/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err7]:vErrors.push(err7),errors++}if(typeof data3=="number"&&(data3<1||isNaN(data3))){const err8={
instancePath:instancePath+"/limits/pids",schemaPath:"#/properties/limits/properties/pids/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===
null?vErrors=[err8]:vErrors.push(err8),errors++}}if(data1.disk!==void 0){let data4=data1.disk;if(typeof data4!="string"&&!(typeof data4=="number"&&!(data4%1)&&!isNaN(
data4))){const err9={instancePath:instancePath+"/limits/disk",schemaPath:"#/definitions/size/type",keyword:"type",params:{type:schema30.type}};vErrors===null?vErrors=
[err9]:vErrors.push(err9),errors++}if(typeof data4=="number"&&(data4<=0||isNaN(data4))){const err10={instancePath:instancePath+"/limits/disk",schemaPath:"#/defi\
nitions/size/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err10]:vErrors.push(err10),errors++}if(typeof data4==
"string"&&!pattern27.test(data4)){const err11={instancePath:instancePath+"/limits/disk",schemaPath:"#/definitions/size/pattern",keyword:"pattern",params:{pattern:"\
^[0-9]+(\\.[0-9]+)?([KMGT]i?)?B?$"}};vErrors===null?vErrors=[err11]:vErrors.push(err11),errors++}}if(data1.cpus!==void 0){let data5=data1.cpus;if(typeof data5==
"number"){if(data5<=0||isNaN(data5)){const err12={instancePath:instancePath+"/limits/cpus",schemaPath:"#/properties/limits/properties/cpus/exclusiveMinimum",keyword:"\
exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err12]:vErrors.push(err12),errors++}}else{const err13={instancePath:instancePath+"/li\
mits/cpus",schemaPath:"#/properties/limits/properties/cpus/type",keyword:"type",params:{type:"number"}};vErrors===null?vErrors=[err13]:vErrors.push(err13),errors++}}}else{
const err14={instancePath:instancePath+"/limits",schemaPath:"#/properties/limits/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err14]:vErrors.
push(err14),errors++}}if(data.network!==void 0){let data6=data.network;if(data6&&typeof data6=="object"&&!Array.isArray(data6)){for(const key2 in data6)if(!(key2===
"build"||key2==="rollout"||key2==="grade")){const err15={instancePath:instancePath+"/network",schemaPath:"#/properties/network/additionalProperties",keyword:"ad\
ditionalProperties",params:{additionalProperty:key2}};vErrors===null?vErrors=[err15]:vErrors.push(err15),errors++}if(data6.build!==void 0){let data7=data6.build;
if(typeof data7!="string"){const err16={instancePath:instancePath+"/network/build",schemaPath:"#/properties/network/properties/build/type",keyword:"type",params:{
type:"string"}};vErrors===null?vErrors=[err16]:vErrors.push(err16),errors++}if(!(data7==="off"||data7==="proxy"||data7==="host")){const err17={instancePath:instancePath+
"/network/build",schemaPath:"#/properties/network/properties/build/enum",keyword:"enum",params:{allowedValues:schema29.properties.network.properties.build.enum}};
vErrors===null?vErrors=[err17]:vErrors.push(err17),errors++}}if(data6.rollout!==void 0){let data8=data6.rollout;if(typeof data8!="string"){const err18={instancePath:instancePath+
"/network/rollout",schemaPath:"#/properties/network/properties/rollout/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err18]:vErrors.push(
err18),errors++}if(!(data8==="off"||data8==="proxy"||data8==="host")){const err19={instancePath:instancePath+"/network/rollout",schemaPath:"#/properties/network\
/properties/rollout/enum",keyword:"enum",params:{allowedValues:schema29.properties.network.properties.rollout.enum}};vErrors===null?vErrors=[err19]:vErrors.push(
err19),errors++}}if(data6.grade!==void 0){let data9=data6.grade;if(typeof data9!="string"){const err20={instancePath:instancePath+"/network/grade",schemaPath:"#\
/properties/network/properties/grade/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err20]:vErrors.push(err20),errors++}if(!(data9==="off"||
data9==="proxy"||data9==="host")){const err21={instancePath:instancePath+"/network/grade",schemaPath:"#/properties/network/properties/grade/enum",keyword:"enum",
params:{allowedValues:schema29.properties.network.properties.grade.enum}};vErrors===null?vErrors=[err21]:vErrors.push(err21),errors++}}}else{const err22={instancePath:instancePath+
"/network",schemaPath:"#/properties/network/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err22]:vErrors.push(err22),errors++}}if(data.allow_hosts!==
void 0){let data10=data.allow_hosts;if(Array.isArray(data10)){const len0=data10.length;for(let i0=0;i0<len0;i0++){let data11=data10[i0];if(typeof data11=="strin\
g"){if(!pattern29.test(data11)){const err23={instancePath:instancePath+"/allow_hosts/"+i0,schemaPath:"#/properties/allow_hosts/items/pattern",keyword:"pattern",
params:{pattern:"^(\\*\\.)?[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*(:[0-9]{1,5})?$"}};vErrors===null?vErrors=[err23]:vErrors.
push(err23),errors++}}else{const err24={instancePath:instancePath+"/allow_hosts/"+i0,schemaPath:"#/properties/allow_hosts/items/type",keyword:"type",params:{type:"\
string"}};vErrors===null?vErrors=[err24]:vErrors.push(err24),errors++}}}else{const err25={instancePath:instancePath+"/allow_hosts",schemaPath:"#/properties/allo\
w_hosts/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err25]:vErrors.push(err25),errors++}}if(data.mounts!==void 0){let data12=data.mounts;
if(Array.isArray(data12)){const len1=data12.length;for(let i1=0;i1<len1;i1++){let data13=data12[i1];if(data13&&typeof data13=="object"&&!Array.isArray(data13)){
if(data13.from===void 0){const err26={instancePath:instancePath+"/mounts/"+i1,schemaPath:"#/properties/mounts/items/required",keyword:"required",params:{missingProperty:"\
from"}};vErrors===null?vErrors=[err26]:vErrors.push(err26),errors++}if(data13.to===void 0){const err27={instancePath:instancePath+"/mounts/"+i1,schemaPath:"#/pr\
operties/mounts/items/required",keyword:"required",params:{missingProperty:"to"}};vErrors===null?vErrors=[err27]:vErrors.push(err27),errors++}for(const key3 in data13)
if(!(key3==="from"||key3==="to")){const err28={instancePath:instancePath+"/mounts/"+i1,schemaPath:"#/properties/mounts/items/additionalProperties",keyword:"addi\
tionalProperties",params:{additionalProperty:key3}};vErrors===null?vErrors=[err28]:vErrors.push(err28),errors++}if(data13.from!==void 0){let data14=data13.from;
if(typeof data14=="string"){if(!pattern2.test(data14)){const err29={instancePath:instancePath+"/mounts/"+i1+"/from",schemaPath:"#/properties/mounts/items/proper\
ties/from/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err29]:vErrors.push(err29),errors++}}else{const err30={instancePath:instancePath+
"/mounts/"+i1+"/from",schemaPath:"#/properties/mounts/items/properties/from/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err30]:vErrors.
push(err30),errors++}}if(data13.to!==void 0){let data15=data13.to;if(typeof data15=="string"){if(!pattern9.test(data15)){const err31={instancePath:instancePath+
"/mounts/"+i1+"/to",schemaPath:"#/properties/mounts/items/properties/to/pattern",keyword:"pattern",params:{pattern:"^/"}};vErrors===null?vErrors=[err31]:vErrors.
push(err31),errors++}}else{const err32={instancePath:instancePath+"/mounts/"+i1+"/to",schemaPath:"#/properties/mounts/items/properties/to/type",keyword:"type",params:{
type:"string"}};vErrors===null?vErrors=[err32]:vErrors.push(err32),errors++}}}else{const err33={instancePath:instancePath+"/mounts/"+i1,schemaPath:"#/properties\
/mounts/items/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err33]:vErrors.push(err33),errors++}}}else{const err34={instancePath:instancePath+
"/mounts",schemaPath:"#/properties/mounts/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err34]:vErrors.push(err34),errors++}}}else{const err35={
instancePath,schemaPath:"#/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err35]:vErrors.push(err35),errors++}return validate20.errors=vErrors,
errors===0}function validate19(data,{instancePath="",parentData,parentDataProperty,rootData=data}={}){let vErrors=null,errors=0;if(data&&typeof data=="object"&&
!Array.isArray(data)){if(Object.keys(data).length<1){const err0={instancePath,schemaPath:"#/minProperties",keyword:"minProperties",params:{limit:1}};vErrors===null?
vErrors=[err0]:vErrors.push(err0),errors++}for(const key0 in data){const _errs1=errors;if(typeof key0=="string"){if(!pattern1.test(key0)){const err1={instancePath,
schemaPath:"#/definitions/id/pattern",keyword:"pattern",params:{pattern:"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"},propertyName:key0};vErrors===null?vErrors=[err1]:vErrors.
push(err1),errors++}}else{const err2={instancePath,schemaPath:"#/definitions/id/type",keyword:"type",params:{type:"string"},propertyName:key0};vErrors===null?vErrors=
[err2]:vErrors.push(err2),errors++}var valid0=_errs1===errors;if(!valid0){const err3={instancePath,schemaPath:"#/propertyNames",keyword:"propertyNames",params:{
propertyName:key0}};vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}}for(const key1 in data)validate20(data[key1],{instancePath:instancePath+"/"+key1.
replace(/~/g,"~0").replace(/\//g,"~1"),parentData:data,parentDataProperty:key1,rootData})||(vErrors=vErrors===null?validate20.errors:vErrors.concat(validate20.errors),
errors=vErrors.length)}else{const err4={instancePath,schemaPath:"#/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err4]:vErrors.push(err4),
errors++}return validate19.errors=vErrors,errors===0}const schema32={type:"object",additionalProperties:!1,properties:{deployment:{type:"string"},dataset:{type:"\
string"},gold_runs:{type:"integer",minimum:1},timeout:{allOf:[{$ref:"#/definitions/duration"}]},allow_isolation:{type:"string",enum:["sandbox","local"]}}};function validate23(data,{
instancePath="",parentData,parentDataProperty,rootData=data}={}){let vErrors=null,errors=0;if(data&&typeof data=="object"&&!Array.isArray(data)){for(const key0 in data)
if(!(key0==="deployment"||key0==="dataset"||key0==="gold_runs"||key0==="timeout"||key0==="allow_isolation")){const err0={instancePath,schemaPath:"#/additionalPr\
operties",keyword:"additionalProperties",params:{additionalProperty:key0}};vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}if(data.deployment!==void 0&&
typeof data.deployment!="string"){const err1={instancePath:instancePath+"/deployment",schemaPath:"#/properties/deployment/type",keyword:"type",params:{type:"str\
ing"}};vErrors===null?vErrors=[err1]:vErrors.push(err1),errors++}if(data.dataset!==void 0&&typeof data.dataset!="string"){const err2={instancePath:instancePath+
"/dataset",schemaPath:"#/properties/dataset/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err2]:vErrors.push(err2),errors++}if(data.gold_runs!==
void 0){let data2=data.gold_runs;if(!(typeof data2=="number"&&!(data2%1)&&!isNaN(data2))){const err3={instancePath:instancePath+"/gold_runs",schemaPath:"#/prope\
rties/gold_runs/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}if(typeof data2=="number"&&(data2<1||isNaN(
data2))){const err4={instancePath:instancePath+"/gold_runs",schemaPath:"#/properties/gold_runs/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===
null?vErrors=[err4]:vErrors.push(err4),errors++}}if(data.timeout!==void 0){let data3=data.timeout;if(typeof data3!="string"&&typeof data3!="number"){const err5={
instancePath:instancePath+"/timeout",schemaPath:"#/definitions/duration/type",keyword:"type",params:{type:schema26.type}};vErrors===null?vErrors=[err5]:vErrors.
push(err5),errors++}if(typeof data3=="number"&&(data3<=0||isNaN(data3))){const err6={instancePath:instancePath+"/timeout",schemaPath:"#/definitions/duration/exc\
lusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err6]:vErrors.push(err6),errors++}if(typeof data3=="string"&&
!pattern25.test(data3)){const err7={instancePath:instancePath+"/timeout",schemaPath:"#/definitions/duration/pattern",keyword:"pattern",params:{pattern:"^[0-9]+(\
\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===null?vErrors=[err7]:vErrors.push(err7),errors++}}if(data.allow_isolation!==void 0){let data4=data.allow_isolation;if(typeof data4!=
"string"){const err8={instancePath:instancePath+"/allow_isolation",schemaPath:"#/properties/allow_isolation/type",keyword:"type",params:{type:"string"}};vErrors===
null?vErrors=[err8]:vErrors.push(err8),errors++}if(!(data4==="sandbox"||data4==="local")){const err9={instancePath:instancePath+"/allow_isolation",schemaPath:"#\
/properties/allow_isolation/enum",keyword:"enum",params:{allowedValues:schema32.properties.allow_isolation.enum}};vErrors===null?vErrors=[err9]:vErrors.push(err9),
errors++}}}else{const err10={instancePath,schemaPath:"#/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err10]:vErrors.push(err10),errors++}
return validate23.errors=vErrors,errors===0}const schema34={type:"object",additionalProperties:!1,properties:{folder:{type:"string",pattern:"\\S"},max_size:{allOf:[
{$ref:"#/definitions/size"}]}}};function validate25(data,{instancePath="",parentData,parentDataProperty,rootData=data}={}){let vErrors=null,errors=0;if(data&&typeof data==
"object"&&!Array.isArray(data)){for(const key0 in data)if(!(key0==="folder"||key0==="max_size")){const err0={instancePath,schemaPath:"#/additionalProperties",keyword:"\
additionalProperties",params:{additionalProperty:key0}};vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}if(data.folder!==void 0){let data0=data.folder;
if(typeof data0=="string"){if(!pattern2.test(data0)){const err1={instancePath:instancePath+"/folder",schemaPath:"#/properties/folder/pattern",keyword:"pattern",
params:{pattern:"\\S"}};vErrors===null?vErrors=[err1]:vErrors.push(err1),errors++}}else{const err2={instancePath:instancePath+"/folder",schemaPath:"#/properties\
/folder/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err2]:vErrors.push(err2),errors++}}if(data.max_size!==void 0){let data1=data.max_size;
if(typeof data1!="string"&&!(typeof data1=="number"&&!(data1%1)&&!isNaN(data1))){const err3={instancePath:instancePath+"/max_size",schemaPath:"#/definitions/siz\
e/type",keyword:"type",params:{type:schema30.type}};vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}if(typeof data1=="number"&&(data1<=0||isNaN(data1))){
const err4={instancePath:instancePath+"/max_size",schemaPath:"#/definitions/size/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===
null?vErrors=[err4]:vErrors.push(err4),errors++}if(typeof data1=="string"&&!pattern27.test(data1)){const err5={instancePath:instancePath+"/max_size",schemaPath:"\
#/definitions/size/pattern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?([KMGT]i?)?B?$"}};vErrors===null?vErrors=[err5]:vErrors.push(err5),errors++}}}else{
const err6={instancePath,schemaPath:"#/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err6]:vErrors.push(err6),errors++}return validate25.
errors=vErrors,errors===0}function validate10(data,{instancePath="",parentData,parentDataProperty,rootData=data}={}){let vErrors=null,errors=0;if(data&&typeof data==
"object"&&!Array.isArray(data)){if(data.version===void 0){const err0={instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty:"version"}};
vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}if(data.name===void 0){const err1={instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty:"\
name"}};vErrors===null?vErrors=[err1]:vErrors.push(err1),errors++}if(data.dataset===void 0){const err2={instancePath,schemaPath:"#/required",keyword:"required",
params:{missingProperty:"dataset"}};vErrors===null?vErrors=[err2]:vErrors.push(err2),errors++}for(const key0 in data)if(!(key0==="version"||key0==="name"||key0===
"dataset"||key0==="environments"||key0==="deployments"||key0==="validation"||key0==="cache"||key0==="resources")){const err3={instancePath,schemaPath:"#/additio\
nalProperties",keyword:"additionalProperties",params:{additionalProperty:key0}};vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}if(data.version!==void 0&&
data.version!==1){const err4={instancePath:instancePath+"/version",schemaPath:"#/properties/version/const",keyword:"const",params:{allowedValue:1}};vErrors===null?
vErrors=[err4]:vErrors.push(err4),errors++}if(data.name!==void 0){let data1=data.name;if(typeof data1=="string"){if(!pattern0.test(data1)){const err5={instancePath:instancePath+
"/name",schemaPath:"#/properties/name/pattern",keyword:"pattern",params:{pattern:"^[A-Za-z0-9][A-Za-z0-9._-]*$"}};vErrors===null?vErrors=[err5]:vErrors.push(err5),
errors++}}else{const err6={instancePath:instancePath+"/name",schemaPath:"#/properties/name/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[
err6]:vErrors.push(err6),errors++}}if(data.dataset!==void 0){let data2=data.dataset;if(data2&&typeof data2=="object"&&!Array.isArray(data2)){if(Object.keys(data2).
length<1){const err7={instancePath:instancePath+"/dataset",schemaPath:"#/properties/dataset/minProperties",keyword:"minProperties",params:{limit:1}};vErrors===null?
vErrors=[err7]:vErrors.push(err7),errors++}for(const key1 in data2){const _errs7=errors;if(typeof key1=="string"){if(!pattern1.test(key1)){const err8={instancePath:instancePath+
"/dataset",schemaPath:"#/definitions/id/pattern",keyword:"pattern",params:{pattern:"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"},propertyName:key1};vErrors===null?vErrors=
[err8]:vErrors.push(err8),errors++}}else{const err9={instancePath:instancePath+"/dataset",schemaPath:"#/definitions/id/type",keyword:"type",params:{type:"string"},
propertyName:key1};vErrors===null?vErrors=[err9]:vErrors.push(err9),errors++}var valid1=_errs7===errors;if(!valid1){const err10={instancePath:instancePath+"/dat\
aset",schemaPath:"#/properties/dataset/propertyNames",keyword:"propertyNames",params:{propertyName:key1}};vErrors===null?vErrors=[err10]:vErrors.push(err10),errors++}}
for(const key2 in data2)validate11(data2[key2],{instancePath:instancePath+"/dataset/"+key2.replace(/~/g,"~0").replace(/\//g,"~1"),parentData:data2,parentDataProperty:key2,
rootData})||(vErrors=vErrors===null?validate11.errors:vErrors.concat(validate11.errors),errors=vErrors.length)}else{const err11={instancePath:instancePath+"/dat\
aset",schemaPath:"#/properties/dataset/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err11]:vErrors.push(err11),errors++}}if(data.environments!==
void 0&&(validate15(data.environments,{instancePath:instancePath+"/environments",parentData:data,parentDataProperty:"environments",rootData})||(vErrors=vErrors===
null?validate15.errors:vErrors.concat(validate15.errors),errors=vErrors.length)),data.deployments!==void 0&&(validate19(data.deployments,{instancePath:instancePath+
"/deployments",parentData:data,parentDataProperty:"deployments",rootData})||(vErrors=vErrors===null?validate19.errors:vErrors.concat(validate19.errors),errors=vErrors.
length)),data.validation!==void 0&&(validate23(data.validation,{instancePath:instancePath+"/validation",parentData:data,parentDataProperty:"validation",rootData})||
(vErrors=vErrors===null?validate23.errors:vErrors.concat(validate23.errors),errors=vErrors.length)),data.cache!==void 0&&(validate25(data.cache,{instancePath:instancePath+
"/cache",parentData:data,parentDataProperty:"cache",rootData})||(vErrors=vErrors===null?validate25.errors:vErrors.concat(validate25.errors),errors=vErrors.length)),
data.resources!==void 0){let data8=data.resources;if(data8&&typeof data8=="object"&&!Array.isArray(data8)){for(const key3 in data8)if(!(key3==="cpu"||key3==="sa\
ndbox")){const err12={instancePath:instancePath+"/resources",schemaPath:"#/definitions/resources/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key3}};
vErrors===null?vErrors=[err12]:vErrors.push(err12),errors++}if(data8.cpu!==void 0){let data9=data8.cpu;if(!(typeof data9=="number"&&!(data9%1)&&!isNaN(data9))){
const err13={instancePath:instancePath+"/resources/cpu",schemaPath:"#/definitions/resources/properties/cpu/type",keyword:"type",params:{type:"integer"}};vErrors===
null?vErrors=[err13]:vErrors.push(err13),errors++}if(typeof data9=="number"&&(data9<1||isNaN(data9))){const err14={instancePath:instancePath+"/resources/cpu",schemaPath:"\
#/definitions/resources/properties/cpu/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err14]:vErrors.push(err14),errors++}}
if(data8.sandbox!==void 0){let data10=data8.sandbox;if(!(typeof data10=="number"&&!(data10%1)&&!isNaN(data10))){const err15={instancePath:instancePath+"/resourc\
es/sandbox",schemaPath:"#/definitions/resources/properties/sandbox/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err15]:vErrors.push(err15),
errors++}if(typeof data10=="number"&&(data10<1||isNaN(data10))){const err16={instancePath:instancePath+"/resources/sandbox",schemaPath:"#/definitions/resources/\
properties/sandbox/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err16]:vErrors.push(err16),errors++}}}else{const err17={
instancePath:instancePath+"/resources",schemaPath:"#/definitions/resources/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err17]:vErrors.push(
err17),errors++}}}else{const err18={instancePath,schemaPath:"#/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err18]:vErrors.push(err18),errors++}
return validate10.errors=vErrors,errors===0}
