/* Generated from schemas/project.schema.json by scripts/generate.mjs; change the schema instead. */
"use strict";export const validate=validate10;const schema11={$schema:"http://json-schema.org/draft-07/schema#",$id:"project.schema.json",type:"object",additionalProperties:!1,
required:["version","name","dataset"],properties:{version:{const:1},name:{type:"string",pattern:"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"},dataset:{type:"object",minProperties:1,
propertyNames:{$ref:"#/definitions/id"},additionalProperties:{$ref:"#/definitions/dataset"}},environments:{$ref:"#/definitions/environments"},deployments:{$ref:"\
#/definitions/deployments"},validation:{$ref:"#/definitions/validation"},agent:{$ref:"#/definitions/agent"},grading:{$ref:"#/definitions/grading"},trainer:{$ref:"\
#/definitions/trainer"},evaluation:{$ref:"#/definitions/evaluation"},targets:{$ref:"#/definitions/targets"},out:{$ref:"#/definitions/out"},cache:{$ref:"#/defini\
tions/cache"},nodes:{$ref:"#/definitions/nodes"},resources:{$ref:"#/definitions/resources"}},definitions:{id:{type:"string",pattern:"^[A-Za-z0-9][A-Za-z0-9_-]{0\
,63}$"},duration:{type:["string","number"],pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$",exclusiveMinimum:0},size:{type:["string","integer"],pattern:"^[0-9]+(\\.[0\
-9]+)?([KMGT]i?)?B?$",exclusiveMinimum:0},glob:{type:"string",pattern:"\\S"},commands:{type:"array",items:{type:"string",pattern:"\\S"}},targets:{type:"array",minItems:1,
items:{type:"string",pattern:"\\S"}},out:{type:"string",pattern:"\\S"},dataset:{allOf:[{$ref:"#/definitions/datasetKeys"}],required:["source","format"]},datasetKeys:{
type:"object",additionalProperties:!1,properties:{source:{type:"string",pattern:"\\S"},revision:{type:"string",pattern:"\\S"},split:{type:"string",pattern:"\\S"},
format:{type:"string",enum:["swe-bench","swe-smith","swe-gym","swe-rebench","swe-rebench-v2","r2e-gym","multi-swe-bench","swe-bench-pro","swe-polybench","mutati\
on","custom","nested"]},inner:{type:"string",enum:["swe-bench","swe-smith","swe-gym","swe-rebench","custom"]},discover_tests:{type:"boolean"},deployment:{type:"\
string"},select:{$ref:"#/definitions/select"},sources:{type:"object",propertyNames:{$ref:"#/definitions/glob"},additionalProperties:{type:"string",pattern:"^(py\
pi:[^=\\s]+==\\S+|(go|npm|crate):\\S+@\\S+|git\\+\\S+@\\S+|archive:\\S+)$"}}}},select:{type:"object",additionalProperties:!1,properties:{match:{type:"string"},sample:{
type:"integer",minimum:1},seed:{type:"integer",minimum:0},slice:{type:"string"}}},environments:{type:"object",additionalProperties:!1,properties:{python:{type:"\
object",additionalProperties:!1,properties:{provider:{type:"string",enum:["venv","uv","conda"]},as_of:{allOf:[{$ref:"#/definitions/as_of"}]},channels:{type:"arr\
ay",items:{type:"string",pattern:"^[^\\s'@]+$"}},trees:{type:"string",pattern:"\\S"},versions:{type:"object",propertyNames:{type:"string",pattern:"^[0-9]+(\\.[0-\
9]+){0,2}$"},additionalProperties:{type:"string",pattern:"^/"}}}},recipes:{type:"array",items:{$ref:"#/definitions/recipe"}}}},as_of:{type:"string",pattern:"^(n\
one|commit|[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?(Z|[+-][0-2][0-9]:[0-5][0-9]))?)$"},service:{type:"obj\
ect",additionalProperties:!1,required:["name","run"],properties:{name:{type:"string",pattern:"^[a-z0-9][a-z0-9-]*$"},run:{type:"string",pattern:"\\S"},pip:{type:"\
array",items:{type:"string",pattern:"^\\s*[^-\\s]"}},hosts:{type:"array",items:{type:"string",pattern:"^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$"}},port:{type:"\
integer",minimum:1,maximum:65535},ready:{type:"string",pattern:"\\S"},timeout:{allOf:[{$ref:"#/definitions/duration"}]}}},recipe:{type:"object",additionalProperties:!1,
required:["match"],properties:{match:{type:"object",additionalProperties:!1,properties:{repo:{allOf:[{$ref:"#/definitions/glob"}]},instance:{allOf:[{$ref:"#/def\
initions/glob"}]},image:{allOf:[{$ref:"#/definitions/glob"}]},version:{allOf:[{$ref:"#/definitions/glob"}]}}},ecosystem:{type:"string",enum:["python","go","pnpm",
"yarn","npm","cargo","maven","gradle","cmake"]},toolchain:{type:"object",propertyNames:{type:"string",pattern:"^[a-z][a-z0-9]*$"},additionalProperties:{type:"st\
ring",pattern:"^([0-9]+(\\.[0-9]+){0,2}([-.a-z][0-9a-z]*)?|/.*[^/])$"}},python:{type:"string",pattern:"^[0-9]+(\\.[0-9]+){0,2}$"},as_of:{allOf:[{$ref:"#/definit\
ions/as_of"}]},system:{type:"array",items:{type:"string",pattern:"^[a-z0-9][a-z0-9+.-]+$"}},submodules:{type:"array",items:{type:"string",pattern:"^(?!/)(?!.*(^\
|/)\\.\\.(/|$)).*\\S"}},pre_install:{allOf:[{$ref:"#/definitions/commands"}]},freeze:{type:"string",pattern:"\\S"},packages:{type:"array",items:{type:"string",pattern:"\
^(?!/)(?!.*(^|/)\\.\\.(/|$)).*\\S"}},pip:{type:"array",items:{type:"string",pattern:"^\\s*[^-\\s]"}},install:{allOf:[{$ref:"#/definitions/commands"}]},env:{type:"\
object",propertyNames:{type:"string",pattern:"^[A-Za-z_][A-Za-z0-9_]*$"},additionalProperties:{type:"string"}},start_commands:{allOf:[{$ref:"#/definitions/comma\
nds"}]},background:{type:"array",items:{$ref:"#/definitions/service"}},eval_commands:{allOf:[{$ref:"#/definitions/commands"}]},install_after_patch:{type:"boolea\
n"},eval_script:{type:"boolean"},build:{allOf:[{$ref:"#/definitions/commands"}]},build_timeout:{allOf:[{$ref:"#/definitions/duration"}]},test:{type:"string",pattern:"\
\\S"},parser:{type:"string",pattern:"^[A-Za-z0-9_-]+$"},witness:{type:"string",enum:["required","none"]},timeout:{allOf:[{$ref:"#/definitions/duration"}]}}},deployments:{
type:"object",minProperties:1,propertyNames:{$ref:"#/definitions/id"},additionalProperties:{$ref:"#/definitions/deployment"}},deployment:{type:"object",additionalProperties:!1,
properties:{type:{type:"string",enum:["auto","sandbox","local","docker","pool","process","ray"]},limits:{type:"object",additionalProperties:!1,properties:{memory:{
allOf:[{$ref:"#/definitions/size"}]},pids:{type:"integer",minimum:1},disk:{allOf:[{$ref:"#/definitions/size"}]},cpus:{type:"number",exclusiveMinimum:0}}},network:{
type:"object",additionalProperties:!1,properties:{build:{type:"string",enum:["off","proxy","host"]},rollout:{type:"string",enum:["off","proxy","host"]},grade:{type:"\
string",enum:["off","proxy","host"]}}},allow_hosts:{type:"array",items:{type:"string",pattern:"^(\\*\\.)?[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Z\
a-z0-9-]*[A-Za-z0-9])?)*(:[0-9]{1,5})?$"}},base:{type:"string",pattern:"^(host|image|image:\\S+|debian:[a-z][a-z-]*)$"},pull:{type:"string",enum:["missing","alw\
ays","never"]},prewarm:{type:"integer",minimum:1},mounts:{type:"array",items:{type:"object",additionalProperties:!1,required:["from","to"],properties:{from:{type:"\
string",pattern:"\\S"},to:{type:"string",pattern:"^/"}}}},fallback:{type:"string",enum:["local"]},host:{type:"string",pattern:"^(unix|tcp|https?|ssh)://\\S+$"},
env:{type:"object",additionalProperties:{type:"string"},propertyNames:{pattern:"^[A-Za-z_][A-Za-z0-9_]*$"}},args:{type:"array",items:{type:"string",pattern:"^-"}},
url:{type:"string",pattern:"^(https?://[^/\\s]+/?|unix:/[^\\u0000]+)$"},token:{type:"string",pattern:"\\S"},backend:{type:"string",enum:["sandbox","docker"]},resources:{
type:"object",additionalProperties:!1,properties:{gpu:{type:"integer",minimum:0},pids:{type:"integer",minimum:1}}},activate:{type:"string",pattern:"\\S"},address:{
type:"string",pattern:"^https?://[^/\\s]+/?$"},program:{type:"string",pattern:"\\S"},folder:{type:"string",pattern:"^[/~]"},items:{type:"integer",minimum:1,maximum:1024},
at_once:{type:"integer",minimum:1},lease:{allOf:[{$ref:"#/definitions/duration"}]},wait:{allOf:[{$ref:"#/definitions/duration"}]}}},validation:{type:"object",additionalProperties:!1,
properties:{deployment:{type:"string"},dataset:{type:"string"},gold_runs:{type:"integer",minimum:1},mutants:{type:"integer",minimum:0,maximum:20},timeout:{allOf:[
{$ref:"#/definitions/duration"}]},min_pass:{type:"string",pattern:"^(100|[0-9]{1,2}(\\.[0-9]+)?)%$"},allow_isolation:{type:"string",enum:["sandbox","local"]}}},
cache:{type:"object",additionalProperties:!1,properties:{folder:{type:"string",pattern:"\\S"},share:{enum:["none","group"]},max_size:{allOf:[{$ref:"#/definition\
s/size"}]},max_states:{allOf:[{$ref:"#/definitions/size"}]},remote:{$ref:"#/definitions/remoteCache"}}},remoteCache:{type:"object",additionalProperties:!1,properties:{
url:{type:"string",pattern:"^https?://[^\\s?#]+$"},path:{type:"string",pattern:"\\S"},token:{type:"string",pattern:"\\S"},read:{type:"boolean"},write:{type:"boo\
lean"},tls:{type:"object",additionalProperties:!1,properties:{ca:{type:"string",pattern:"\\S"},certificate:{type:"string",pattern:"\\S"},key:{type:"string",pattern:"\
\\S"}}},sign:{type:"string",pattern:"\\S"},trusted:{type:"array",minItems:1,items:{type:"string",pattern:"^ed25519:[A-Za-z0-9+/]{43}=$"}},timeout:{allOf:[{$ref:"\
#/definitions/duration"}]},concurrency:{type:"integer",minimum:1,maximum:1024},upload_wait:{allOf:[{$ref:"#/definitions/duration"}]}}},nodes:{type:"array",items:{
type:"object",additionalProperties:!1,required:["name","address"],properties:{name:{allOf:[{$ref:"#/definitions/id"}]},address:{type:"string",pattern:"^(https?:\
//)?[A-Za-z0-9\\[][^/\\s@]*/?$"},agents:{type:"string",pattern:"^https?://[^/\\s@]+/?$"},roles:{type:"array",items:{enum:["node-server","agent-server","ray-head",
"ray-worker"]},minItems:1},containers:{type:"integer",minimum:1},ssh:{type:"string",pattern:"^[^-\\s][^\\s]*$"},activate:{type:"string",pattern:"\\S"},program:{
type:"string",pattern:"\\S"},folder:{type:"string",pattern:"^[/~]"},resources:{type:"object",additionalProperties:!1,properties:{cpu:{type:"integer",minimum:0},
gpu:{type:"integer",minimum:0},sandbox:{type:"integer",minimum:0},sandbox_start_up:{type:"integer",minimum:0},container:{type:"integer",minimum:0},container_start_up:{
type:"integer",minimum:0},tar_io:{type:"integer",minimum:0}}}}}},resources:{type:"object",additionalProperties:!1,properties:{cpu:{type:"integer",minimum:1},sandbox:{
type:"integer",minimum:1},rollout:{type:"integer",minimum:1},memory:{allOf:[{$ref:"#/definitions/size"}]},sandbox_start_up:{type:"integer",minimum:1},tar_io:{type:"\
integer",minimum:1}}},model:{type:"object",additionalProperties:!1,properties:{base_url:{type:"string",pattern:"^https?://"},name:{type:"string",pattern:"\\S"},
identity:{type:"string",pattern:"\\S"},api_key:{type:"string"},temperature:{type:"number",minimum:0,maximum:2},top_p:{type:"number",exclusiveMinimum:0,maximum:1},
top_k:{type:"integer",minimum:-1},min_p:{type:"number",minimum:0,maximum:1},repetition_penalty:{type:"number",exclusiveMinimum:0},stop:{type:"array",items:{type:"\
string",pattern:"[\\s\\S]"}},max_tokens:{type:"integer",minimum:1},extra:{type:"object",additionalProperties:!0},tokens:{type:"string",enum:["auto","off"]},tool_format:{
type:"string",enum:["hermes","qwen3-coder","llama3-json","mistral","glm4","kimi-k2","gpt-oss"]},render:{type:"string",enum:["chat","exact"]},tokenizer:{type:"st\
ring",pattern:"\\S"},context:{type:"integer",minimum:256},timeout:{allOf:[{$ref:"#/definitions/duration"}]},retry:{allOf:[{$ref:"#/definitions/duration"}]},concurrency:{
type:"integer",minimum:1},prices:{type:"string",pattern:"\\S"},serve:{type:"object",additionalProperties:!1,properties:{engine:{type:"string",enum:["vllm","sgla\
ng","llama.cpp"]},command:{type:"string",pattern:"\\S"},weights:{type:"object",additionalProperties:!1,properties:{id:{type:"string",pattern:"^[A-Za-z0-9][\\w.-]\
*/[\\w.-]+$"},revision:{type:"string",pattern:"\\S"},path:{type:"string",pattern:"\\S"}}},deployment:{type:"string",pattern:"\\S"},gpus:{type:"integer",minimum:0},
replicas:{type:"integer",minimum:1},hosts:{type:"array",minItems:1,uniqueItems:!0,items:{type:"string",pattern:"^[A-Za-z0-9_][\\w.@-]*$"}},port:{type:"integer",
minimum:1,maximum:65535},args:{type:"array",items:{type:"string"}},env:{type:"object",propertyNames:{type:"string",pattern:"^[A-Za-z_][A-Za-z0-9_]*$"},additionalProperties:{
type:"string"}},ready:{type:"string",pattern:"^/"},timeout:{allOf:[{$ref:"#/definitions/duration"}]},hang:{allOf:[{$ref:"#/definitions/duration"}]}}}}},limits_of_rollout:{
type:"object",additionalProperties:!1,properties:{steps:{type:"integer",minimum:0},time:{allOf:[{$ref:"#/definitions/duration"}]},command:{allOf:[{$ref:"#/defin\
itions/duration"}]},cost:{type:"number",minimum:0},tokens:{type:"integer",minimum:0},format_errors:{type:"integer",minimum:0},repeated_commands:{type:"integer",
minimum:0}}},context:{type:"object",additionalProperties:!1,properties:{strategy:{type:"string",enum:["full","head-tail","summary"]},max_tokens:{type:"integer",
minimum:256},max_response_tokens:{type:"integer",minimum:1},head:{type:"number",minimum:0,maximum:1}}},history:{type:"object",additionalProperties:!1,properties:{
last_observations:{type:"integer",minimum:0},max_observation:{type:"integer",minimum:100}}},templates:{type:"object",additionalProperties:!1,properties:{from:{type:"\
string",pattern:"\\S"},system:{type:"string"},instance:{type:"string"},observation:{type:"string"},format_error:{type:"string"}}},agentProgram:{type:"object",additionalProperties:!1,
required:["protocol","run"],properties:{protocol:{type:"string",enum:["openai-chat","openai-responses","anthropic-messages","google-generate"]},run:{type:"strin\
g",pattern:"\\S"},install:{type:"object",additionalProperties:!1,properties:{source:{type:"string",pattern:"\\S"},npm:{type:"array",items:{type:"string",pattern:"\
\\S"}},node:{type:"string",pattern:"^\\d+\\.\\d+\\.\\d+$"},pip:{type:"array",items:{type:"string",pattern:"\\S"}},python:{type:"string",pattern:"^\\d+\\.\\d+$"},
platforms:{type:"array",items:{type:"string",pattern:"^linux-[a-z0-9]+$"}},check:{type:"string",pattern:"\\S"}}},files:{type:"object",additionalProperties:{type:"\
string"}},env:{type:"object",additionalProperties:{type:"string"}},leaves:{type:"array",items:{type:"string",pattern:"\\S"}},obeys:{type:"array",items:{type:"st\
ring",pattern:"\\S"}}}},step_rewards:{type:"object",additionalProperties:!1,required:["model"],properties:{model:{$ref:"#/definitions/model"},votes:{type:"integ\
er",minimum:1},coefficient:{type:"number"},history_steps:{type:"integer",minimum:1},skip_submit:{type:"boolean"}}},agent:{type:"object",additionalProperties:!1,
properties:{type:{type:"string",enum:["bash","tools","command","acp","claude-code","codex","gemini-cli","mini-swe-agent","opencode","openhands","qwen-code","swe\
-agent","oracle","noop"]},dataset:{type:"string"},deployment:{type:"string"},rollouts:{type:"integer",minimum:1},seed:{type:"integer",minimum:0},baselines:{type:"\
array",items:{type:"string",enum:["oracle","noop"]}},dialect:{type:"string",enum:["v2","swe-rl"]},action_regex:{type:"string"},actions:{type:"string",enum:["fen\
ce","xml","tool-calls"]},model:{$ref:"#/definitions/model"},limits:{$ref:"#/definitions/limits_of_rollout"},context:{$ref:"#/definitions/context"},history:{$ref:"\
#/definitions/history"},step_rewards:{$ref:"#/definitions/step_rewards"},templates:{$ref:"#/definitions/templates"},user:{type:"object",additionalProperties:!1,
properties:{says:{type:"array",minItems:1,items:{type:"string"}},model:{$ref:"#/definitions/model"},prompt:{type:"string"},turns:{type:"integer",minimum:1}}},env:{
type:"object",additionalProperties:{type:"string"}},args:{type:"array",items:{type:"string"}},repository_settings:{type:"string",enum:["ignore","allow"]},tools:{
type:"array",minItems:1,items:{type:"string",pattern:"^[A-Za-z0-9_.:-]+$"}},program:{$ref:"#/definitions/agentProgram"},version:{type:"string",pattern:"^[0-9A-Z\
a-z.+_-]+$"},as_of:{type:"string",pattern:"^\\d{4}-\\d{2}-\\d{2}$"},source:{type:"string",pattern:"\\S"}}},grading:{type:"object",additionalProperties:!1,properties:{
preset:{type:"string",enum:["strict","swebench-5","swebench-4","swe-smith","swe-gym","minisandbox-compat","returncode"]},timeout:{allOf:[{$ref:"#/definitions/du\
ration"}]},deployment:{type:"string"},max_patch:{allOf:[{$ref:"#/definitions/size"}]},protect:{type:"array",items:{$ref:"#/definitions/glob"}},repeats:{type:"in\
teger",minimum:0,maximum:100},suspicion:{type:"string",enum:["mask","note","off"]}}},golden:{type:"object",additionalProperties:!1,properties:{exit:{type:"array",
items:{type:"string",enum:["submitted","limits_exceeded","time_exceeded","repeated_format_error","context_exceeded","truncated"]}},reward:{type:"number",minimum:0,
maximum:1},leaks:{type:"string",enum:["drop","keep"]},max_steps:{type:"integer",minimum:1}}},balance:{type:"object",additionalProperties:!1,properties:{policy:{
type:"string",enum:["caps","minisandbox-compat"]},per_instance:{type:"integer",minimum:1},total:{type:"integer",minimum:1},seed:{type:"integer",minimum:0}}},sft:{
type:"object",additionalProperties:!1,properties:{type:{type:"string",enum:["none","torchtune","trl","skyrl","slime","verl","command"]},golden:{$ref:"#/definiti\
ons/golden"},balance:{$ref:"#/definitions/balance"},decontaminate:{type:"boolean"},style:{type:"string",enum:["xml","ticks","tools"]},samples:{type:"string",enum:[
"trajectory","step"]},train:{type:"string",enum:["main","agents","all"]},data:{type:"object",additionalProperties:!1,required:["source"],properties:{source:{type:"\
string",pattern:"\\S"},revision:{type:"string",pattern:"\\S"},split:{type:"string",pattern:"\\S"},column:{type:"string",pattern:"\\S"}}},model:{$ref:"#/definiti\
ons/sftModel"},deployment:{type:"string"},gpus:{type:"integer",minimum:0},nodes:{type:"integer",minimum:1},command:{type:"string",pattern:"\\S"},env:{type:"obje\
ct",propertyNames:{type:"string",pattern:"^[A-Za-z_][A-Za-z0-9_]*$"},additionalProperties:{type:"string"}},output:{type:"string",enum:["fresh","fixed"]},output_folder:{
type:"string",pattern:"\\S"},keep:{type:["string","integer"],pattern:"^(all|last|best)$",minimum:1},metrics:{$ref:"#/definitions/trainerMetrics"},image:{$ref:"#\
/definitions/trainerImage"},timeout:{allOf:[{$ref:"#/definitions/duration"}]},epochs:{type:"integer",minimum:1},learning_rate:{type:"number",exclusiveMinimum:0},
weight_decay:{type:"number",minimum:0},warmup_steps:{type:"integer",minimum:0},batch_size:{type:"integer",minimum:1},accumulation:{type:"integer",minimum:1},max_length:{
type:"integer",minimum:1},seed:{type:"integer",minimum:0},max_steps:{type:"integer",minimum:1},overrides:{type:"object",additionalProperties:!0},dtype:{type:"st\
ring",enum:["bf16","fp32"]},lora:{type:"object",additionalProperties:!1,properties:{rank:{type:"integer",minimum:1},alpha:{type:"number",exclusiveMinimum:0},dropout:{
type:"number",minimum:0,maximum:1}}},recipe:{type:"string",pattern:"\\S"},save_every:{type:"integer",minimum:1},folder:{type:"string",pattern:"\\S"},commit:{type:"\
string",pattern:"^[0-9a-f]{7,40}$"}}},trainer:{type:"object",additionalProperties:!1,properties:{sft:{$ref:"#/definitions/sft"},rl:{$ref:"#/definitions/rl"}}},agentOverrides:{
type:"object",additionalProperties:!1,properties:{type:{type:"string",enum:["bash","tools","command","acp","claude-code","codex","gemini-cli","mini-swe-agent","\
opencode","openhands","qwen-code","swe-agent","oracle","noop"]},deployment:{type:"string"},seed:{type:"integer",minimum:0},dialect:{type:"string",enum:["v2","sw\
e-rl"]},action_regex:{type:"string"},actions:{type:"string",enum:["fence","xml","tool-calls"]},limits:{type:"object",additionalProperties:!1,properties:{steps:{
type:"integer",minimum:0},time:{allOf:[{$ref:"#/definitions/duration"}]},command:{allOf:[{$ref:"#/definitions/duration"}]},cost:{type:"number",minimum:0},tokens:{
type:"integer",minimum:0},format_errors:{type:"integer",minimum:0},repeated_commands:{type:"integer",minimum:0}}},context:{type:"object",additionalProperties:!1,
properties:{strategy:{type:"string",enum:["full","head-tail","summary"]},max_tokens:{type:"integer",minimum:256},max_response_tokens:{type:"integer",minimum:1},
head:{type:"number",minimum:0,maximum:1}}},history:{type:"object",additionalProperties:!1,properties:{last_observations:{type:"integer",minimum:0},max_observation:{
type:"integer",minimum:100}}},templates:{type:"object",additionalProperties:!1,properties:{from:{type:"string",pattern:"\\S"},system:{type:"string"},instance:{type:"\
string"},observation:{type:"string"},format_error:{type:"string"}}},user:{type:"object",additionalProperties:!1,properties:{says:{type:"array",minItems:1,items:{
type:"string"}},model:{$ref:"#/definitions/model"},prompt:{type:"string"},turns:{type:"integer",minimum:1}}},env:{type:"object",additionalProperties:{type:"stri\
ng"}},args:{type:"array",items:{type:"string"}},repository_settings:{type:"string",enum:["ignore","allow"]},tools:{type:"array",minItems:1,items:{type:"string",
pattern:"^[A-Za-z0-9_.:-]+$"}},program:{type:"object",additionalProperties:!1,required:["protocol","run"],properties:{protocol:{type:"string",enum:["openai-chat",
"openai-responses","anthropic-messages","google-generate"]},run:{type:"string",pattern:"\\S"},install:{type:"object",additionalProperties:!1,properties:{source:{
type:"string",pattern:"\\S"},npm:{type:"array",items:{type:"string",pattern:"\\S"}},node:{type:"string",pattern:"^\\d+\\.\\d+\\.\\d+$"},pip:{type:"array",items:{
type:"string",pattern:"\\S"}},python:{type:"string",pattern:"^\\d+\\.\\d+$"},platforms:{type:"array",items:{type:"string",pattern:"^linux-[a-z0-9]+$"}},check:{type:"\
string",pattern:"\\S"}}},files:{type:"object",additionalProperties:{type:"string"}},env:{type:"object",additionalProperties:{type:"string"}},leaves:{type:"array",
items:{type:"string",pattern:"\\S"}},obeys:{type:"array",items:{type:"string",pattern:"\\S"}}}},version:{type:"string",pattern:"^[0-9A-Za-z.+_-]+$"},as_of:{type:"\
string",pattern:"^\\d{4}-\\d{2}-\\d{2}$"},source:{type:"string",pattern:"\\S"}}},evaluation:{type:"object",additionalProperties:!1,required:["dataset"],properties:{
dataset:{type:"string"},models:{type:"object",minProperties:1,propertyNames:{$ref:"#/definitions/id"},additionalProperties:{$ref:"#/definitions/modelOverrides"}},
predictions:{type:"object",propertyNames:{$ref:"#/definitions/id"},additionalProperties:{type:"array",items:{type:"string",pattern:"\\S"},minItems:1}},deployment:{
type:"string"},agent:{$ref:"#/definitions/agentOverrides"},harness:{type:"string",enum:["native","swebench"]},command:{type:"string"},workers:{type:"integer",minimum:1},
timeout:{allOf:[{$ref:"#/definitions/duration"}]}}},modelOverrides:{type:"object",additionalProperties:!1,properties:{base_url:{type:"string",pattern:"^https?:/\
/"},name:{type:"string",pattern:"\\S"},identity:{type:"string",pattern:"\\S"},api_key:{type:"string"},temperature:{type:"number",minimum:0,maximum:2},top_p:{type:"\
number",exclusiveMinimum:0,maximum:1},top_k:{type:"integer",minimum:-1},min_p:{type:"number",minimum:0,maximum:1},repetition_penalty:{type:"number",exclusiveMinimum:0},
stop:{type:"array",items:{type:"string",pattern:"[\\s\\S]"}},max_tokens:{type:"integer",minimum:1},extra:{type:"object",additionalProperties:!0},tokens:{type:"s\
tring",enum:["auto","off"]},tool_format:{type:"string",enum:["hermes","qwen3-coder","llama3-json","mistral","glm4","kimi-k2","gpt-oss"]},render:{type:"string",enum:[
"chat","exact"]},tokenizer:{type:"string",pattern:"\\S"},context:{type:"integer",minimum:256},timeout:{allOf:[{$ref:"#/definitions/duration"}]},retry:{allOf:[{$ref:"\
#/definitions/duration"}]},concurrency:{type:"integer",minimum:1},prices:{type:"string",pattern:"\\S"},serve:{type:"object",additionalProperties:!1,properties:{
engine:{type:"string",enum:["vllm","sglang","llama.cpp"]},command:{type:"string",pattern:"\\S"},weights:{type:"object",additionalProperties:!1,properties:{id:{type:"\
string",pattern:"^[A-Za-z0-9][\\w.-]*/[\\w.-]+$"},revision:{type:"string",pattern:"\\S"},path:{type:"string",pattern:"\\S"}}},deployment:{type:"string",pattern:"\
\\S"},gpus:{type:"integer",minimum:0},replicas:{type:"integer",minimum:1},hosts:{type:"array",minItems:1,uniqueItems:!0,items:{type:"string",pattern:"^[A-Za-z0-\
9_][\\w.@-]*$"}},port:{type:"integer",minimum:1,maximum:65535},args:{type:"array",items:{type:"string"}},env:{type:"object",propertyNames:{type:"string",pattern:"\
^[A-Za-z_][A-Za-z0-9_]*$"},additionalProperties:{type:"string"}},ready:{type:"string",pattern:"^/"},timeout:{allOf:[{$ref:"#/definitions/duration"}]},hang:{allOf:[
{$ref:"#/definitions/duration"}]}}},from:{type:"string",enum:["sft","rl"]}}},baseModel:{type:"object",additionalProperties:!1,properties:{id:{type:"string",pattern:"\
^[A-Za-z0-9][\\w.-]*/[\\w.-]+$"},revision:{type:"string",pattern:"\\S"},path:{type:"string",pattern:"\\S"},from:{type:"string",enum:["sft"]}}},trainerMetrics:{type:"\
object",additionalProperties:!1,properties:{wandb:{type:"object",additionalProperties:!1,required:["project"],properties:{project:{type:"string",pattern:"\\S"},
name:{type:"string",pattern:"\\S"},api_key:{type:"string",pattern:"\\S"},mode:{type:"string",enum:["online","offline"]}}},tensorboard:{type:"boolean"}}},trainerImage:{
type:"object",additionalProperties:!1,required:["name"],properties:{name:{type:"string",pattern:"\\S"},shm:{allOf:[{$ref:"#/definitions/size"}]},ipc:{type:"stri\
ng",enum:["private","host"]},network:{type:"string",enum:["bridge","host"]},ulimits:{type:"object",additionalProperties:{type:"string",pattern:"^-?[0-9]+(:-?[0-\
9]+)?$"}},mounts:{type:"array",items:{type:"string",pattern:"^/[^:]*(:/[^:]*)?(:ro)?$"}},privileged:{type:"boolean"},engine:{type:"boolean"}}},rl:{type:"object",
additionalProperties:!1,properties:{type:{type:"string",enum:["none","skyrl","slime","miles","verl","command"]},rows:{type:"string",enum:["skyrl","slime","miles",
"verl"]},data:{type:"object",additionalProperties:!1,properties:{dataset:{type:"string"},range:{type:"string"},seed:{type:"integer",minimum:0},gold:{type:"strin\
g",enum:["keep","drop"]},source_name:{type:"string",pattern:"\\S"}}},model:{$ref:"#/definitions/baseModel"},deployment:{type:"string"},gpus:{type:"integer",minimum:0},
nodes:{type:"integer",minimum:1},command:{type:"string",pattern:"\\S"},env:{type:"object",propertyNames:{type:"string",pattern:"^[A-Za-z_][A-Za-z0-9_]*$"},additionalProperties:{
type:"string"}},output:{type:"string",enum:["fresh","fixed"]},output_folder:{type:"string",pattern:"\\S"},keep:{type:["string","integer"],pattern:"^(all|last|be\
st)$",minimum:1},metrics:{$ref:"#/definitions/trainerMetrics"},image:{$ref:"#/definitions/trainerImage"},timeout:{allOf:[{$ref:"#/definitions/duration"}]},folder:{
type:"string",pattern:"\\S"},commit:{type:"string",pattern:"^[0-9a-f]{7,40}$"},overrides:{type:"object",additionalProperties:!0},save_every:{type:"integer",minimum:1},
generate:{type:"string",pattern:"\\S"},sequences:{type:"string",enum:["all","longest"]},train:{type:"string",enum:["main","agents","all"]},epochs:{type:"integer",
minimum:1},batch:{type:"integer",minimum:1},samples:{type:"integer",minimum:1},updates:{type:"integer",minimum:1},learning_rate:{type:"number",exclusiveMinimum:0},
weight_decay:{type:"number",minimum:0},kl:{type:"number",minimum:0},clip:{type:"number",exclusiveMinimum:0},clip_high:{type:"number",exclusiveMinimum:0},estimator:{
type:"string",enum:["grpo","step_wise","rloo"]},temperature:{type:"number",minimum:0,maximum:2},top_p:{type:"number",exclusiveMinimum:0,maximum:1},max_prompt:{type:"\
integer",minimum:1},max_context:{type:"integer",minimum:1},max_response:{type:"integer",minimum:1},seed:{type:"integer",minimum:0},engine_gpus:{type:"integer",minimum:1},
memory_fraction:{type:"number",exclusiveMinimum:0,maximum:1},context_parallel:{type:"integer",minimum:1},colocate:{type:"boolean"},actor_gpus:{type:"integer",minimum:1},
rollout_gpus:{type:"integer",minimum:1},flavor:{type:"string",enum:["minisandbox","unified"]},steps:{type:"integer",minimum:1},max_tokens_per_gpu:{type:"integer",
minimum:1},reward:{type:"string",pattern:"\\S"},module:{type:"string",pattern:"\\S"},mode:{type:"string",enum:["bridge","raw"]},model_args:{type:"string",pattern:"\
\\S"},megatron:{type:"string",pattern:"\\S"},ray_address:{type:"string",pattern:"\\S"},tensor_parallel:{type:"integer",minimum:1},pipeline_parallel:{type:"integ\
er",minimum:1},dynamic_history:{type:"boolean"},prm:{type:"object",additionalProperties:!1,properties:{model:{type:"string",pattern:"\\S"},gpus:{type:"integer",
minimum:1},engine_gpus:{type:"integer",minimum:1},votes:{type:"integer",minimum:1},coefficient:{type:"number",minimum:0},temperature:{type:"number",minimum:0,maximum:2},
max_tokens:{type:"integer",minimum:1}}}}},sftModel:{type:"object",additionalProperties:!1,properties:{id:{type:"string",pattern:"^[A-Za-z0-9][\\w.-]*/[\\w.-]+$"},
revision:{type:"string",pattern:"\\S"},path:{type:"string",pattern:"\\S"}}}}},schema12={type:"string",pattern:"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"},schema86={type:"\
array",minItems:1,items:{type:"string",pattern:"\\S"}},schema87={type:"string",pattern:"\\S"},func2=Object.prototype.hasOwnProperty,pattern0=new RegExp("^[A-Za-\
z0-9][A-Za-z0-9._-]{0,99}$","u"),pattern1=new RegExp("^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$","u"),pattern2=new RegExp("\\S","u"),schema13={allOf:[{$ref:"#/definition\
s/datasetKeys"}],required:["source","format"]},schema14={type:"object",additionalProperties:!1,properties:{source:{type:"string",pattern:"\\S"},revision:{type:"\
string",pattern:"\\S"},split:{type:"string",pattern:"\\S"},format:{type:"string",enum:["swe-bench","swe-smith","swe-gym","swe-rebench","swe-rebench-v2","r2e-gym",
"multi-swe-bench","swe-bench-pro","swe-polybench","mutation","custom","nested"]},inner:{type:"string",enum:["swe-bench","swe-smith","swe-gym","swe-rebench","cus\
tom"]},discover_tests:{type:"boolean"},deployment:{type:"string"},select:{$ref:"#/definitions/select"},sources:{type:"object",propertyNames:{$ref:"#/definitions\
/glob"},additionalProperties:{type:"string",pattern:"^(pypi:[^=\\s]+==\\S+|(go|npm|crate):\\S+@\\S+|git\\+\\S+@\\S+|archive:\\S+)$"}}}},schema15={type:"object",
additionalProperties:!1,properties:{match:{type:"string"},sample:{type:"integer",minimum:1},seed:{type:"integer",minimum:0},slice:{type:"string"}}},schema16={type:"\
string",pattern:"\\S"},pattern6=new RegExp("^(pypi:[^=\\s]+==\\S+|(go|npm|crate):\\S+@\\S+|git\\+\\S+@\\S+|archive:\\S+)$","u");function validate12(data,{instancePath="",
parentData,parentDataProperty,rootData=data}={}){let vErrors=null,errors=0;if(data&&typeof data=="object"&&!Array.isArray(data)){for(const key0 in data)if(!func2.
call(schema14.properties,key0)){const err0={instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key0}};vErrors===
null?vErrors=[err0]:vErrors.push(err0),errors++}if(data.source!==void 0){let data0=data.source;if(typeof data0=="string"){if(!pattern2.test(data0)){const err1={
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
"swe-gym"||data3==="swe-rebench"||data3==="swe-rebench-v2"||data3==="r2e-gym"||data3==="multi-swe-bench"||data3==="swe-bench-pro"||data3==="swe-polybench"||data3===
"mutation"||data3==="custom"||data3==="nested")){const err8={instancePath:instancePath+"/format",schemaPath:"#/properties/format/enum",keyword:"enum",params:{allowedValues:schema14.
properties.format.enum}};vErrors===null?vErrors=[err8]:vErrors.push(err8),errors++}}if(data.inner!==void 0){let data4=data.inner;if(typeof data4!="string"){const err9={
instancePath:instancePath+"/inner",schemaPath:"#/properties/inner/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err9]:vErrors.push(err9),
errors++}if(!(data4==="swe-bench"||data4==="swe-smith"||data4==="swe-gym"||data4==="swe-rebench"||data4==="custom")){const err10={instancePath:instancePath+"/in\
ner",schemaPath:"#/properties/inner/enum",keyword:"enum",params:{allowedValues:schema14.properties.inner.enum}};vErrors===null?vErrors=[err10]:vErrors.push(err10),
errors++}}if(data.discover_tests!==void 0&&typeof data.discover_tests!="boolean"){const err11={instancePath:instancePath+"/discover_tests",schemaPath:"#/propert\
ies/discover_tests/type",keyword:"type",params:{type:"boolean"}};vErrors===null?vErrors=[err11]:vErrors.push(err11),errors++}if(data.deployment!==void 0&&typeof data.
deployment!="string"){const err12={instancePath:instancePath+"/deployment",schemaPath:"#/properties/deployment/type",keyword:"type",params:{type:"string"}};vErrors===
null?vErrors=[err12]:vErrors.push(err12),errors++}if(data.select!==void 0){let data7=data.select;if(data7&&typeof data7=="object"&&!Array.isArray(data7)){for(const key1 in data7)
if(!(key1==="match"||key1==="sample"||key1==="seed"||key1==="slice")){const err13={instancePath:instancePath+"/select",schemaPath:"#/definitions/select/addition\
alProperties",keyword:"additionalProperties",params:{additionalProperty:key1}};vErrors===null?vErrors=[err13]:vErrors.push(err13),errors++}if(data7.match!==void 0&&
typeof data7.match!="string"){const err14={instancePath:instancePath+"/select/match",schemaPath:"#/definitions/select/properties/match/type",keyword:"type",params:{
type:"string"}};vErrors===null?vErrors=[err14]:vErrors.push(err14),errors++}if(data7.sample!==void 0){let data9=data7.sample;if(!(typeof data9=="number"&&!(data9%
1)&&!isNaN(data9))){const err15={instancePath:instancePath+"/select/sample",schemaPath:"#/definitions/select/properties/sample/type",keyword:"type",params:{type:"\
integer"}};vErrors===null?vErrors=[err15]:vErrors.push(err15),errors++}if(typeof data9=="number"&&(data9<1||isNaN(data9))){const err16={instancePath:instancePath+
"/select/sample",schemaPath:"#/definitions/select/properties/sample/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err16]:
vErrors.push(err16),errors++}}if(data7.seed!==void 0){let data10=data7.seed;if(!(typeof data10=="number"&&!(data10%1)&&!isNaN(data10))){const err17={instancePath:instancePath+
"/select/seed",schemaPath:"#/definitions/select/properties/seed/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err17]:vErrors.push(err17),
errors++}if(typeof data10=="number"&&(data10<0||isNaN(data10))){const err18={instancePath:instancePath+"/select/seed",schemaPath:"#/definitions/select/propertie\
s/seed/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err18]:vErrors.push(err18),errors++}}if(data7.slice!==void 0&&typeof data7.
slice!="string"){const err19={instancePath:instancePath+"/select/slice",schemaPath:"#/definitions/select/properties/slice/type",keyword:"type",params:{type:"str\
ing"}};vErrors===null?vErrors=[err19]:vErrors.push(err19),errors++}}else{const err20={instancePath:instancePath+"/select",schemaPath:"#/definitions/select/type",
keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err20]:vErrors.push(err20),errors++}}if(data.sources!==void 0){let data12=data.sources;if(data12&&
typeof data12=="object"&&!Array.isArray(data12)){for(const key2 in data12){const _errs30=errors;if(typeof key2=="string"){if(!pattern2.test(key2)){const err21={
instancePath:instancePath+"/sources",schemaPath:"#/definitions/glob/pattern",keyword:"pattern",params:{pattern:"\\S"},propertyName:key2};vErrors===null?vErrors=
[err21]:vErrors.push(err21),errors++}}else{const err22={instancePath:instancePath+"/sources",schemaPath:"#/definitions/glob/type",keyword:"type",params:{type:"s\
tring"},propertyName:key2};vErrors===null?vErrors=[err22]:vErrors.push(err22),errors++}var valid3=_errs30===errors;if(!valid3){const err23={instancePath:instancePath+
"/sources",schemaPath:"#/properties/sources/propertyNames",keyword:"propertyNames",params:{propertyName:key2}};vErrors===null?vErrors=[err23]:vErrors.push(err23),
errors++}}for(const key3 in data12){let data13=data12[key3];if(typeof data13=="string"){if(!pattern6.test(data13)){const err24={instancePath:instancePath+"/sour\
ces/"+key3.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/sources/additionalProperties/pattern",keyword:"pattern",params:{pattern:"^(pypi:[^=\\s\
]+==\\S+|(go|npm|crate):\\S+@\\S+|git\\+\\S+@\\S+|archive:\\S+)$"}};vErrors===null?vErrors=[err24]:vErrors.push(err24),errors++}}else{const err25={instancePath:instancePath+
"/sources/"+key3.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/sources/additionalProperties/type",keyword:"type",params:{type:"string"}};vErrors===
null?vErrors=[err25]:vErrors.push(err25),errors++}}}else{const err26={instancePath:instancePath+"/sources",schemaPath:"#/properties/sources/type",keyword:"type",
params:{type:"object"}};vErrors===null?vErrors=[err26]:vErrors.push(err26),errors++}}}else{const err27={instancePath,schemaPath:"#/type",keyword:"type",params:{
type:"object"}};vErrors===null?vErrors=[err27]:vErrors.push(err27),errors++}return validate12.errors=vErrors,errors===0}function validate11(data,{instancePath="",
parentData,parentDataProperty,rootData=data}={}){let vErrors=null,errors=0;if(validate12(data,{instancePath,parentData,parentDataProperty,rootData})||(vErrors=vErrors===
null?validate12.errors:vErrors.concat(validate12.errors),errors=vErrors.length),data&&typeof data=="object"&&!Array.isArray(data)){if(data.source===void 0){const err0={
instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty:"source"}};vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}if(data.format===
void 0){const err1={instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty:"format"}};vErrors===null?vErrors=[err1]:vErrors.push(err1),
errors++}}return validate11.errors=vErrors,errors===0}const schema17={type:"object",additionalProperties:!1,properties:{python:{type:"object",additionalProperties:!1,
properties:{provider:{type:"string",enum:["venv","uv","conda"]},as_of:{allOf:[{$ref:"#/definitions/as_of"}]},channels:{type:"array",items:{type:"string",pattern:"\
^[^\\s'@]+$"}},trees:{type:"string",pattern:"\\S"},versions:{type:"object",propertyNames:{type:"string",pattern:"^[0-9]+(\\.[0-9]+){0,2}$"},additionalProperties:{
type:"string",pattern:"^/"}}}},recipes:{type:"array",items:{$ref:"#/definitions/recipe"}}}},schema18={type:"string",pattern:"^(none|commit|[0-9]{4}-(0[1-9]|1[0-\
2])-(0[1-9]|[12][0-9]|3[01])(T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?(Z|[+-][0-2][0-9]:[0-5][0-9]))?)$"},pattern7=new RegExp("^(none|commit|[0-9]{4}-(0[1-9\
]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?(Z|[+-][0-2][0-9]:[0-5][0-9]))?)$","u"),pattern8=new RegExp("^[^\\s'@]+$","u"),pattern10=new RegExp(
"^[0-9]+(\\.[0-9]+){0,2}$","u"),pattern11=new RegExp("^/","u"),schema19={type:"object",additionalProperties:!1,required:["match"],properties:{match:{type:"objec\
t",additionalProperties:!1,properties:{repo:{allOf:[{$ref:"#/definitions/glob"}]},instance:{allOf:[{$ref:"#/definitions/glob"}]},image:{allOf:[{$ref:"#/definiti\
ons/glob"}]},version:{allOf:[{$ref:"#/definitions/glob"}]}}},ecosystem:{type:"string",enum:["python","go","pnpm","yarn","npm","cargo","maven","gradle","cmake"]},
toolchain:{type:"object",propertyNames:{type:"string",pattern:"^[a-z][a-z0-9]*$"},additionalProperties:{type:"string",pattern:"^([0-9]+(\\.[0-9]+){0,2}([-.a-z][0\
-9a-z]*)?|/.*[^/])$"}},python:{type:"string",pattern:"^[0-9]+(\\.[0-9]+){0,2}$"},as_of:{allOf:[{$ref:"#/definitions/as_of"}]},system:{type:"array",items:{type:"\
string",pattern:"^[a-z0-9][a-z0-9+.-]+$"}},submodules:{type:"array",items:{type:"string",pattern:"^(?!/)(?!.*(^|/)\\.\\.(/|$)).*\\S"}},pre_install:{allOf:[{$ref:"\
#/definitions/commands"}]},freeze:{type:"string",pattern:"\\S"},packages:{type:"array",items:{type:"string",pattern:"^(?!/)(?!.*(^|/)\\.\\.(/|$)).*\\S"}},pip:{type:"\
array",items:{type:"string",pattern:"^\\s*[^-\\s]"}},install:{allOf:[{$ref:"#/definitions/commands"}]},env:{type:"object",propertyNames:{type:"string",pattern:"\
^[A-Za-z_][A-Za-z0-9_]*$"},additionalProperties:{type:"string"}},start_commands:{allOf:[{$ref:"#/definitions/commands"}]},background:{type:"array",items:{$ref:"\
#/definitions/service"}},eval_commands:{allOf:[{$ref:"#/definitions/commands"}]},install_after_patch:{type:"boolean"},eval_script:{type:"boolean"},build:{allOf:[
{$ref:"#/definitions/commands"}]},build_timeout:{allOf:[{$ref:"#/definitions/duration"}]},test:{type:"string",pattern:"\\S"},parser:{type:"string",pattern:"^[A-\
Za-z0-9_-]+$"},witness:{type:"string",enum:["required","none"]},timeout:{allOf:[{$ref:"#/definitions/duration"}]}}},schema25={type:"array",items:{type:"string",
pattern:"\\S"}},schema29={type:["string","number"],pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$",exclusiveMinimum:0},pattern16=new RegExp("^[a-z][a-z0-9]*$","u"),
pattern17=new RegExp("^([0-9]+(\\.[0-9]+){0,2}([-.a-z][0-9a-z]*)?|/.*[^/])$","u"),pattern20=new RegExp("^[a-z0-9][a-z0-9+.-]+$","u"),pattern21=new RegExp("^(?!/\
)(?!.*(^|/)\\.\\.(/|$)).*\\S","u"),pattern25=new RegExp("^\\s*[^-\\s]","u"),pattern27=new RegExp("^[A-Za-z_][A-Za-z0-9_]*$","u"),pattern34=new RegExp("^[0-9]+(\\\
.[0-9]+)?(ms|s|m|h|d)?$","u"),pattern39=new RegExp("^[A-Za-z0-9_-]+$","u"),schema28={type:"object",additionalProperties:!1,required:["name","run"],properties:{name:{
type:"string",pattern:"^[a-z0-9][a-z0-9-]*$"},run:{type:"string",pattern:"\\S"},pip:{type:"array",items:{type:"string",pattern:"^\\s*[^-\\s]"}},hosts:{type:"arr\
ay",items:{type:"string",pattern:"^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$"}},port:{type:"integer",minimum:1,maximum:65535},ready:{type:"string",pattern:"\\S"},
timeout:{allOf:[{$ref:"#/definitions/duration"}]}}},pattern29=new RegExp("^[a-z0-9][a-z0-9-]*$","u"),pattern32=new RegExp("^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9\
])?$","u");function validate17(data,{instancePath="",parentData,parentDataProperty,rootData=data}={}){let vErrors=null,errors=0;if(data&&typeof data=="object"&&
!Array.isArray(data)){if(data.name===void 0){const err0={instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty:"name"}};vErrors===null?
vErrors=[err0]:vErrors.push(err0),errors++}if(data.run===void 0){const err1={instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty:"ru\
n"}};vErrors===null?vErrors=[err1]:vErrors.push(err1),errors++}for(const key0 in data)if(!(key0==="name"||key0==="run"||key0==="pip"||key0==="hosts"||key0==="po\
rt"||key0==="ready"||key0==="timeout")){const err2={instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key0}};
vErrors===null?vErrors=[err2]:vErrors.push(err2),errors++}if(data.name!==void 0){let data0=data.name;if(typeof data0=="string"){if(!pattern29.test(data0)){const err3={
instancePath:instancePath+"/name",schemaPath:"#/properties/name/pattern",keyword:"pattern",params:{pattern:"^[a-z0-9][a-z0-9-]*$"}};vErrors===null?vErrors=[err3]:
vErrors.push(err3),errors++}}else{const err4={instancePath:instancePath+"/name",schemaPath:"#/properties/name/type",keyword:"type",params:{type:"string"}};vErrors===
null?vErrors=[err4]:vErrors.push(err4),errors++}}if(data.run!==void 0){let data1=data.run;if(typeof data1=="string"){if(!pattern2.test(data1)){const err5={instancePath:instancePath+
"/run",schemaPath:"#/properties/run/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err5]:vErrors.push(err5),errors++}}else{const err6={
instancePath:instancePath+"/run",schemaPath:"#/properties/run/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err6]:vErrors.push(err6),errors++}}
if(data.pip!==void 0){let data2=data.pip;if(Array.isArray(data2)){const len0=data2.length;for(let i0=0;i0<len0;i0++){let data3=data2[i0];if(typeof data3=="strin\
g"){if(!pattern25.test(data3)){const err7={instancePath:instancePath+"/pip/"+i0,schemaPath:"#/properties/pip/items/pattern",keyword:"pattern",params:{pattern:"^\
\\s*[^-\\s]"}};vErrors===null?vErrors=[err7]:vErrors.push(err7),errors++}}else{const err8={instancePath:instancePath+"/pip/"+i0,schemaPath:"#/properties/pip/ite\
ms/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err8]:vErrors.push(err8),errors++}}}else{const err9={instancePath:instancePath+"/pip",schemaPath:"\
#/properties/pip/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err9]:vErrors.push(err9),errors++}}if(data.hosts!==void 0){let data4=data.hosts;
if(Array.isArray(data4)){const len1=data4.length;for(let i1=0;i1<len1;i1++){let data5=data4[i1];if(typeof data5=="string"){if(!pattern32.test(data5)){const err10={
instancePath:instancePath+"/hosts/"+i1,schemaPath:"#/properties/hosts/items/pattern",keyword:"pattern",params:{pattern:"^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?\
$"}};vErrors===null?vErrors=[err10]:vErrors.push(err10),errors++}}else{const err11={instancePath:instancePath+"/hosts/"+i1,schemaPath:"#/properties/hosts/items/\
type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err11]:vErrors.push(err11),errors++}}}else{const err12={instancePath:instancePath+"/hosts",
schemaPath:"#/properties/hosts/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err12]:vErrors.push(err12),errors++}}if(data.port!==void 0){let data6=data.
port;if(!(typeof data6=="number"&&!(data6%1)&&!isNaN(data6))){const err13={instancePath:instancePath+"/port",schemaPath:"#/properties/port/type",keyword:"type",
params:{type:"integer"}};vErrors===null?vErrors=[err13]:vErrors.push(err13),errors++}if(typeof data6=="number"){if(data6>65535||isNaN(data6)){const err14={instancePath:instancePath+
"/port",schemaPath:"#/properties/port/maximum",keyword:"maximum",params:{comparison:"<=",limit:65535}};vErrors===null?vErrors=[err14]:vErrors.push(err14),errors++}
if(data6<1||isNaN(data6)){const err15={instancePath:instancePath+"/port",schemaPath:"#/properties/port/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};
vErrors===null?vErrors=[err15]:vErrors.push(err15),errors++}}}if(data.ready!==void 0){let data7=data.ready;if(typeof data7=="string"){if(!pattern2.test(data7)){
const err16={instancePath:instancePath+"/ready",schemaPath:"#/properties/ready/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err16]:
vErrors.push(err16),errors++}}else{const err17={instancePath:instancePath+"/ready",schemaPath:"#/properties/ready/type",keyword:"type",params:{type:"string"}};vErrors===
null?vErrors=[err17]:vErrors.push(err17),errors++}}if(data.timeout!==void 0){let data8=data.timeout;if(typeof data8!="string"&&typeof data8!="number"){const err18={
instancePath:instancePath+"/timeout",schemaPath:"#/definitions/duration/type",keyword:"type",params:{type:schema29.type}};vErrors===null?vErrors=[err18]:vErrors.
push(err18),errors++}if(typeof data8=="number"&&(data8<=0||isNaN(data8))){const err19={instancePath:instancePath+"/timeout",schemaPath:"#/definitions/duration/e\
xclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err19]:vErrors.push(err19),errors++}if(typeof data8=="strin\
g"&&!pattern34.test(data8)){const err20={instancePath:instancePath+"/timeout",schemaPath:"#/definitions/duration/pattern",keyword:"pattern",params:{pattern:"^[0\
-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===null?vErrors=[err20]:vErrors.push(err20),errors++}}}else{const err21={instancePath,schemaPath:"#/type",keyword:"type",
params:{type:"object"}};vErrors===null?vErrors=[err21]:vErrors.push(err21),errors++}return validate17.errors=vErrors,errors===0}function validate16(data,{instancePath="",
parentData,parentDataProperty,rootData=data}={}){let vErrors=null,errors=0;if(data&&typeof data=="object"&&!Array.isArray(data)){if(data.match===void 0){const err0={
instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty:"match"}};vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}for(const key0 in data)
if(!func2.call(schema19.properties,key0)){const err1={instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key0}};
vErrors===null?vErrors=[err1]:vErrors.push(err1),errors++}if(data.match!==void 0){let data0=data.match;if(data0&&typeof data0=="object"&&!Array.isArray(data0)){
for(const key1 in data0)if(!(key1==="repo"||key1==="instance"||key1==="image"||key1==="version")){const err2={instancePath:instancePath+"/match",schemaPath:"#/p\
roperties/match/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key1}};vErrors===null?vErrors=[err2]:vErrors.push(err2),errors++}
if(data0.repo!==void 0){let data1=data0.repo;if(typeof data1=="string"){if(!pattern2.test(data1)){const err3={instancePath:instancePath+"/match/repo",schemaPath:"\
#/definitions/glob/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}}else{const err4={instancePath:instancePath+
"/match/repo",schemaPath:"#/definitions/glob/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err4]:vErrors.push(err4),errors++}}if(data0.instance!==
void 0){let data2=data0.instance;if(typeof data2=="string"){if(!pattern2.test(data2)){const err5={instancePath:instancePath+"/match/instance",schemaPath:"#/defi\
nitions/glob/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err5]:vErrors.push(err5),errors++}}else{const err6={instancePath:instancePath+
"/match/instance",schemaPath:"#/definitions/glob/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err6]:vErrors.push(err6),errors++}}if(data0.
image!==void 0){let data3=data0.image;if(typeof data3=="string"){if(!pattern2.test(data3)){const err7={instancePath:instancePath+"/match/image",schemaPath:"#/de\
finitions/glob/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err7]:vErrors.push(err7),errors++}}else{const err8={instancePath:instancePath+
"/match/image",schemaPath:"#/definitions/glob/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err8]:vErrors.push(err8),errors++}}if(data0.version!==
void 0){let data4=data0.version;if(typeof data4=="string"){if(!pattern2.test(data4)){const err9={instancePath:instancePath+"/match/version",schemaPath:"#/defini\
tions/glob/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err9]:vErrors.push(err9),errors++}}else{const err10={instancePath:instancePath+
"/match/version",schemaPath:"#/definitions/glob/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err10]:vErrors.push(err10),errors++}}}else{
const err11={instancePath:instancePath+"/match",schemaPath:"#/properties/match/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err11]:vErrors.
push(err11),errors++}}if(data.ecosystem!==void 0){let data5=data.ecosystem;if(typeof data5!="string"){const err12={instancePath:instancePath+"/ecosystem",schemaPath:"\
#/properties/ecosystem/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err12]:vErrors.push(err12),errors++}if(!(data5==="python"||data5==="\
go"||data5==="pnpm"||data5==="yarn"||data5==="npm"||data5==="cargo"||data5==="maven"||data5==="gradle"||data5==="cmake")){const err13={instancePath:instancePath+
"/ecosystem",schemaPath:"#/properties/ecosystem/enum",keyword:"enum",params:{allowedValues:schema19.properties.ecosystem.enum}};vErrors===null?vErrors=[err13]:vErrors.
push(err13),errors++}}if(data.toolchain!==void 0){let data6=data.toolchain;if(data6&&typeof data6=="object"&&!Array.isArray(data6)){for(const key2 in data6){const _errs25=errors;
if(typeof key2=="string"){if(!pattern16.test(key2)){const err14={instancePath:instancePath+"/toolchain",schemaPath:"#/properties/toolchain/propertyNames/pattern",
keyword:"pattern",params:{pattern:"^[a-z][a-z0-9]*$"},propertyName:key2};vErrors===null?vErrors=[err14]:vErrors.push(err14),errors++}}else{const err15={instancePath:instancePath+
"/toolchain",schemaPath:"#/properties/toolchain/propertyNames/type",keyword:"type",params:{type:"string"},propertyName:key2};vErrors===null?vErrors=[err15]:vErrors.
push(err15),errors++}var valid10=_errs25===errors;if(!valid10){const err16={instancePath:instancePath+"/toolchain",schemaPath:"#/properties/toolchain/propertyNa\
mes",keyword:"propertyNames",params:{propertyName:key2}};vErrors===null?vErrors=[err16]:vErrors.push(err16),errors++}}for(const key3 in data6){let data7=data6[key3];
if(typeof data7=="string"){if(!pattern17.test(data7)){const err17={instancePath:instancePath+"/toolchain/"+key3.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"\
#/properties/toolchain/additionalProperties/pattern",keyword:"pattern",params:{pattern:"^([0-9]+(\\.[0-9]+){0,2}([-.a-z][0-9a-z]*)?|/.*[^/])$"}};vErrors===null?
vErrors=[err17]:vErrors.push(err17),errors++}}else{const err18={instancePath:instancePath+"/toolchain/"+key3.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"\
#/properties/toolchain/additionalProperties/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err18]:vErrors.push(err18),errors++}}}else{const err19={
instancePath:instancePath+"/toolchain",schemaPath:"#/properties/toolchain/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err19]:vErrors.push(
err19),errors++}}if(data.python!==void 0){let data8=data.python;if(typeof data8=="string"){if(!pattern10.test(data8)){const err20={instancePath:instancePath+"/p\
ython",schemaPath:"#/properties/python/pattern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+){0,2}$"}};vErrors===null?vErrors=[err20]:vErrors.push(err20),
errors++}}else{const err21={instancePath:instancePath+"/python",schemaPath:"#/properties/python/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=
[err21]:vErrors.push(err21),errors++}}if(data.as_of!==void 0){let data9=data.as_of;if(typeof data9=="string"){if(!pattern7.test(data9)){const err22={instancePath:instancePath+
"/as_of",schemaPath:"#/definitions/as_of/pattern",keyword:"pattern",params:{pattern:"^(none|commit|[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(T[0-2][0-9]\
:[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?(Z|[+-][0-2][0-9]:[0-5][0-9]))?)$"}};vErrors===null?vErrors=[err22]:vErrors.push(err22),errors++}}else{const err23={instancePath:instancePath+
"/as_of",schemaPath:"#/definitions/as_of/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err23]:vErrors.push(err23),errors++}}if(data.system!==
void 0){let data10=data.system;if(Array.isArray(data10)){const len0=data10.length;for(let i0=0;i0<len0;i0++){let data11=data10[i0];if(typeof data11=="string"){if(!pattern20.
test(data11)){const err24={instancePath:instancePath+"/system/"+i0,schemaPath:"#/properties/system/items/pattern",keyword:"pattern",params:{pattern:"^[a-z0-9][a\
-z0-9+.-]+$"}};vErrors===null?vErrors=[err24]:vErrors.push(err24),errors++}}else{const err25={instancePath:instancePath+"/system/"+i0,schemaPath:"#/properties/s\
ystem/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err25]:vErrors.push(err25),errors++}}}else{const err26={instancePath:instancePath+
"/system",schemaPath:"#/properties/system/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err26]:vErrors.push(err26),errors++}}if(data.submodules!==
void 0){let data12=data.submodules;if(Array.isArray(data12)){const len1=data12.length;for(let i1=0;i1<len1;i1++){let data13=data12[i1];if(typeof data13=="string"){
if(!pattern21.test(data13)){const err27={instancePath:instancePath+"/submodules/"+i1,schemaPath:"#/properties/submodules/items/pattern",keyword:"pattern",params:{
pattern:"^(?!/)(?!.*(^|/)\\.\\.(/|$)).*\\S"}};vErrors===null?vErrors=[err27]:vErrors.push(err27),errors++}}else{const err28={instancePath:instancePath+"/submodu\
les/"+i1,schemaPath:"#/properties/submodules/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err28]:vErrors.push(err28),errors++}}}else{
const err29={instancePath:instancePath+"/submodules",schemaPath:"#/properties/submodules/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err29]:
vErrors.push(err29),errors++}}if(data.pre_install!==void 0){let data14=data.pre_install;if(Array.isArray(data14)){const len2=data14.length;for(let i2=0;i2<len2;i2++){
let data15=data14[i2];if(typeof data15=="string"){if(!pattern2.test(data15)){const err30={instancePath:instancePath+"/pre_install/"+i2,schemaPath:"#/definitions\
/commands/items/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err30]:vErrors.push(err30),errors++}}else{const err31={instancePath:instancePath+
"/pre_install/"+i2,schemaPath:"#/definitions/commands/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err31]:vErrors.push(err31),errors++}}}else{
const err32={instancePath:instancePath+"/pre_install",schemaPath:"#/definitions/commands/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err32]:
vErrors.push(err32),errors++}}if(data.freeze!==void 0){let data16=data.freeze;if(typeof data16=="string"){if(!pattern2.test(data16)){const err33={instancePath:instancePath+
"/freeze",schemaPath:"#/properties/freeze/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err33]:vErrors.push(err33),errors++}}else{const err34={
instancePath:instancePath+"/freeze",schemaPath:"#/properties/freeze/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err34]:vErrors.push(err34),
errors++}}if(data.packages!==void 0){let data17=data.packages;if(Array.isArray(data17)){const len3=data17.length;for(let i3=0;i3<len3;i3++){let data18=data17[i3];
if(typeof data18=="string"){if(!pattern21.test(data18)){const err35={instancePath:instancePath+"/packages/"+i3,schemaPath:"#/properties/packages/items/pattern",
keyword:"pattern",params:{pattern:"^(?!/)(?!.*(^|/)\\.\\.(/|$)).*\\S"}};vErrors===null?vErrors=[err35]:vErrors.push(err35),errors++}}else{const err36={instancePath:instancePath+
"/packages/"+i3,schemaPath:"#/properties/packages/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err36]:vErrors.push(err36),errors++}}}else{
const err37={instancePath:instancePath+"/packages",schemaPath:"#/properties/packages/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err37]:
vErrors.push(err37),errors++}}if(data.pip!==void 0){let data19=data.pip;if(Array.isArray(data19)){const len4=data19.length;for(let i4=0;i4<len4;i4++){let data20=data19[i4];
if(typeof data20=="string"){if(!pattern25.test(data20)){const err38={instancePath:instancePath+"/pip/"+i4,schemaPath:"#/properties/pip/items/pattern",keyword:"p\
attern",params:{pattern:"^\\s*[^-\\s]"}};vErrors===null?vErrors=[err38]:vErrors.push(err38),errors++}}else{const err39={instancePath:instancePath+"/pip/"+i4,schemaPath:"\
#/properties/pip/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err39]:vErrors.push(err39),errors++}}}else{const err40={instancePath:instancePath+
"/pip",schemaPath:"#/properties/pip/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err40]:vErrors.push(err40),errors++}}if(data.install!==void 0){
let data21=data.install;if(Array.isArray(data21)){const len5=data21.length;for(let i5=0;i5<len5;i5++){let data22=data21[i5];if(typeof data22=="string"){if(!pattern2.
test(data22)){const err41={instancePath:instancePath+"/install/"+i5,schemaPath:"#/definitions/commands/items/pattern",keyword:"pattern",params:{pattern:"\\S"}};
vErrors===null?vErrors=[err41]:vErrors.push(err41),errors++}}else{const err42={instancePath:instancePath+"/install/"+i5,schemaPath:"#/definitions/commands/items\
/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err42]:vErrors.push(err42),errors++}}}else{const err43={instancePath:instancePath+"/instal\
l",schemaPath:"#/definitions/commands/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err43]:vErrors.push(err43),errors++}}if(data.env!==void 0){
let data23=data.env;if(data23&&typeof data23=="object"&&!Array.isArray(data23)){for(const key4 in data23){const _errs68=errors;if(typeof key4=="string"){if(!pattern27.
test(key4)){const err44={instancePath:instancePath+"/env",schemaPath:"#/properties/env/propertyNames/pattern",keyword:"pattern",params:{pattern:"^[A-Za-z_][A-Za\
-z0-9_]*$"},propertyName:key4};vErrors===null?vErrors=[err44]:vErrors.push(err44),errors++}}else{const err45={instancePath:instancePath+"/env",schemaPath:"#/pro\
perties/env/propertyNames/type",keyword:"type",params:{type:"string"},propertyName:key4};vErrors===null?vErrors=[err45]:vErrors.push(err45),errors++}var valid30=_errs68===
errors;if(!valid30){const err46={instancePath:instancePath+"/env",schemaPath:"#/properties/env/propertyNames",keyword:"propertyNames",params:{propertyName:key4}};
vErrors===null?vErrors=[err46]:vErrors.push(err46),errors++}}for(const key5 in data23)if(typeof data23[key5]!="string"){const err47={instancePath:instancePath+"\
/env/"+key5.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/env/additionalProperties/type",keyword:"type",params:{type:"string"}};vErrors===null?
vErrors=[err47]:vErrors.push(err47),errors++}}else{const err48={instancePath:instancePath+"/env",schemaPath:"#/properties/env/type",keyword:"type",params:{type:"\
object"}};vErrors===null?vErrors=[err48]:vErrors.push(err48),errors++}}if(data.start_commands!==void 0){let data25=data.start_commands;if(Array.isArray(data25)){
const len6=data25.length;for(let i6=0;i6<len6;i6++){let data26=data25[i6];if(typeof data26=="string"){if(!pattern2.test(data26)){const err49={instancePath:instancePath+
"/start_commands/"+i6,schemaPath:"#/definitions/commands/items/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err49]:vErrors.push(err49),
errors++}}else{const err50={instancePath:instancePath+"/start_commands/"+i6,schemaPath:"#/definitions/commands/items/type",keyword:"type",params:{type:"string"}};
vErrors===null?vErrors=[err50]:vErrors.push(err50),errors++}}}else{const err51={instancePath:instancePath+"/start_commands",schemaPath:"#/definitions/commands/t\
ype",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err51]:vErrors.push(err51),errors++}}if(data.background!==void 0){let data27=data.background;
if(Array.isArray(data27)){const len7=data27.length;for(let i7=0;i7<len7;i7++)validate17(data27[i7],{instancePath:instancePath+"/background/"+i7,parentData:data27,
parentDataProperty:i7,rootData})||(vErrors=vErrors===null?validate17.errors:vErrors.concat(validate17.errors),errors=vErrors.length)}else{const err52={instancePath:instancePath+
"/background",schemaPath:"#/properties/background/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err52]:vErrors.push(err52),errors++}}if(data.
eval_commands!==void 0){let data29=data.eval_commands;if(Array.isArray(data29)){const len8=data29.length;for(let i8=0;i8<len8;i8++){let data30=data29[i8];if(typeof data30==
"string"){if(!pattern2.test(data30)){const err53={instancePath:instancePath+"/eval_commands/"+i8,schemaPath:"#/definitions/commands/items/pattern",keyword:"patt\
ern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err53]:vErrors.push(err53),errors++}}else{const err54={instancePath:instancePath+"/eval_commands/"+i8,schemaPath:"\
#/definitions/commands/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err54]:vErrors.push(err54),errors++}}}else{const err55={instancePath:instancePath+
"/eval_commands",schemaPath:"#/definitions/commands/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err55]:vErrors.push(err55),errors++}}if(data.
install_after_patch!==void 0&&typeof data.install_after_patch!="boolean"){const err56={instancePath:instancePath+"/install_after_patch",schemaPath:"#/properties\
/install_after_patch/type",keyword:"type",params:{type:"boolean"}};vErrors===null?vErrors=[err56]:vErrors.push(err56),errors++}if(data.eval_script!==void 0&&typeof data.
eval_script!="boolean"){const err57={instancePath:instancePath+"/eval_script",schemaPath:"#/properties/eval_script/type",keyword:"type",params:{type:"boolean"}};
vErrors===null?vErrors=[err57]:vErrors.push(err57),errors++}if(data.build!==void 0){let data33=data.build;if(Array.isArray(data33)){const len9=data33.length;for(let i9=0;i9<
len9;i9++){let data34=data33[i9];if(typeof data34=="string"){if(!pattern2.test(data34)){const err58={instancePath:instancePath+"/build/"+i9,schemaPath:"#/defini\
tions/commands/items/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err58]:vErrors.push(err58),errors++}}else{const err59={instancePath:instancePath+
"/build/"+i9,schemaPath:"#/definitions/commands/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err59]:vErrors.push(err59),errors++}}}else{
const err60={instancePath:instancePath+"/build",schemaPath:"#/definitions/commands/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err60]:vErrors.
push(err60),errors++}}if(data.build_timeout!==void 0){let data35=data.build_timeout;if(typeof data35!="string"&&typeof data35!="number"){const err61={instancePath:instancePath+
"/build_timeout",schemaPath:"#/definitions/duration/type",keyword:"type",params:{type:schema29.type}};vErrors===null?vErrors=[err61]:vErrors.push(err61),errors++}
if(typeof data35=="number"&&(data35<=0||isNaN(data35))){const err62={instancePath:instancePath+"/build_timeout",schemaPath:"#/definitions/duration/exclusiveMini\
mum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err62]:vErrors.push(err62),errors++}if(typeof data35=="string"&&!pattern34.
test(data35)){const err63={instancePath:instancePath+"/build_timeout",schemaPath:"#/definitions/duration/pattern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[\
0-9]+)?(ms|s|m|h|d)?$"}};vErrors===null?vErrors=[err63]:vErrors.push(err63),errors++}}if(data.test!==void 0){let data36=data.test;if(typeof data36=="string"){if(!pattern2.
test(data36)){const err64={instancePath:instancePath+"/test",schemaPath:"#/properties/test/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=
[err64]:vErrors.push(err64),errors++}}else{const err65={instancePath:instancePath+"/test",schemaPath:"#/properties/test/type",keyword:"type",params:{type:"strin\
g"}};vErrors===null?vErrors=[err65]:vErrors.push(err65),errors++}}if(data.parser!==void 0){let data37=data.parser;if(typeof data37=="string"){if(!pattern39.test(
data37)){const err66={instancePath:instancePath+"/parser",schemaPath:"#/properties/parser/pattern",keyword:"pattern",params:{pattern:"^[A-Za-z0-9_-]+$"}};vErrors===
null?vErrors=[err66]:vErrors.push(err66),errors++}}else{const err67={instancePath:instancePath+"/parser",schemaPath:"#/properties/parser/type",keyword:"type",params:{
type:"string"}};vErrors===null?vErrors=[err67]:vErrors.push(err67),errors++}}if(data.witness!==void 0){let data38=data.witness;if(typeof data38!="string"){const err68={
instancePath:instancePath+"/witness",schemaPath:"#/properties/witness/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err68]:vErrors.push(err68),
errors++}if(!(data38==="required"||data38==="none")){const err69={instancePath:instancePath+"/witness",schemaPath:"#/properties/witness/enum",keyword:"enum",params:{
allowedValues:schema19.properties.witness.enum}};vErrors===null?vErrors=[err69]:vErrors.push(err69),errors++}}if(data.timeout!==void 0){let data39=data.timeout;
if(typeof data39!="string"&&typeof data39!="number"){const err70={instancePath:instancePath+"/timeout",schemaPath:"#/definitions/duration/type",keyword:"type",params:{
type:schema29.type}};vErrors===null?vErrors=[err70]:vErrors.push(err70),errors++}if(typeof data39=="number"&&(data39<=0||isNaN(data39))){const err71={instancePath:instancePath+
"/timeout",schemaPath:"#/definitions/duration/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err71]:vErrors.
push(err71),errors++}if(typeof data39=="string"&&!pattern34.test(data39)){const err72={instancePath:instancePath+"/timeout",schemaPath:"#/definitions/duration/p\
attern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===null?vErrors=[err72]:vErrors.push(err72),errors++}}}else{const err73={
instancePath,schemaPath:"#/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err73]:vErrors.push(err73),errors++}return validate16.errors=vErrors,
errors===0}function validate15(data,{instancePath="",parentData,parentDataProperty,rootData=data}={}){let vErrors=null,errors=0;if(data&&typeof data=="object"&&
!Array.isArray(data)){for(const key0 in data)if(!(key0==="python"||key0==="recipes")){const err0={instancePath,schemaPath:"#/additionalProperties",keyword:"addi\
tionalProperties",params:{additionalProperty:key0}};vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}if(data.python!==void 0){let data0=data.python;if(data0&&
typeof data0=="object"&&!Array.isArray(data0)){for(const key1 in data0)if(!(key1==="provider"||key1==="as_of"||key1==="channels"||key1==="trees"||key1==="versio\
ns")){const err1={instancePath:instancePath+"/python",schemaPath:"#/properties/python/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key1}};
vErrors===null?vErrors=[err1]:vErrors.push(err1),errors++}if(data0.provider!==void 0){let data1=data0.provider;if(typeof data1!="string"){const err2={instancePath:instancePath+
"/python/provider",schemaPath:"#/properties/python/properties/provider/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err2]:vErrors.push(err2),
errors++}if(!(data1==="venv"||data1==="uv"||data1==="conda")){const err3={instancePath:instancePath+"/python/provider",schemaPath:"#/properties/python/propertie\
s/provider/enum",keyword:"enum",params:{allowedValues:schema17.properties.python.properties.provider.enum}};vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}}
if(data0.as_of!==void 0){let data2=data0.as_of;if(typeof data2=="string"){if(!pattern7.test(data2)){const err4={instancePath:instancePath+"/python/as_of",schemaPath:"\
#/definitions/as_of/pattern",keyword:"pattern",params:{pattern:"^(none|commit|[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(T[0-2][0-9]:[0-5][0-9]:[0-5][0-9\
](\\.[0-9]+)?(Z|[+-][0-2][0-9]:[0-5][0-9]))?)$"}};vErrors===null?vErrors=[err4]:vErrors.push(err4),errors++}}else{const err5={instancePath:instancePath+"/python\
/as_of",schemaPath:"#/definitions/as_of/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err5]:vErrors.push(err5),errors++}}if(data0.channels!==
void 0){let data3=data0.channels;if(Array.isArray(data3)){const len0=data3.length;for(let i0=0;i0<len0;i0++){let data4=data3[i0];if(typeof data4=="string"){if(!pattern8.
test(data4)){const err6={instancePath:instancePath+"/python/channels/"+i0,schemaPath:"#/properties/python/properties/channels/items/pattern",keyword:"pattern",params:{
pattern:"^[^\\s'@]+$"}};vErrors===null?vErrors=[err6]:vErrors.push(err6),errors++}}else{const err7={instancePath:instancePath+"/python/channels/"+i0,schemaPath:"\
#/properties/python/properties/channels/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err7]:vErrors.push(err7),errors++}}}else{const err8={
instancePath:instancePath+"/python/channels",schemaPath:"#/properties/python/properties/channels/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=
[err8]:vErrors.push(err8),errors++}}if(data0.trees!==void 0){let data5=data0.trees;if(typeof data5=="string"){if(!pattern2.test(data5)){const err9={instancePath:instancePath+
"/python/trees",schemaPath:"#/properties/python/properties/trees/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err9]:vErrors.push(err9),
errors++}}else{const err10={instancePath:instancePath+"/python/trees",schemaPath:"#/properties/python/properties/trees/type",keyword:"type",params:{type:"string"}};
vErrors===null?vErrors=[err10]:vErrors.push(err10),errors++}}if(data0.versions!==void 0){let data6=data0.versions;if(data6&&typeof data6=="object"&&!Array.isArray(
data6)){for(const key2 in data6){const _errs19=errors;if(typeof key2=="string"){if(!pattern10.test(key2)){const err11={instancePath:instancePath+"/python/versio\
ns",schemaPath:"#/properties/python/properties/versions/propertyNames/pattern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+){0,2}$"},propertyName:key2};
vErrors===null?vErrors=[err11]:vErrors.push(err11),errors++}}else{const err12={instancePath:instancePath+"/python/versions",schemaPath:"#/properties/python/prop\
erties/versions/propertyNames/type",keyword:"type",params:{type:"string"},propertyName:key2};vErrors===null?vErrors=[err12]:vErrors.push(err12),errors++}var valid6=_errs19===
errors;if(!valid6){const err13={instancePath:instancePath+"/python/versions",schemaPath:"#/properties/python/properties/versions/propertyNames",keyword:"propert\
yNames",params:{propertyName:key2}};vErrors===null?vErrors=[err13]:vErrors.push(err13),errors++}}for(const key3 in data6){let data7=data6[key3];if(typeof data7==
"string"){if(!pattern11.test(data7)){const err14={instancePath:instancePath+"/python/versions/"+key3.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/proper\
ties/python/properties/versions/additionalProperties/pattern",keyword:"pattern",params:{pattern:"^/"}};vErrors===null?vErrors=[err14]:vErrors.push(err14),errors++}}else{
const err15={instancePath:instancePath+"/python/versions/"+key3.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/python/properties/versions/addit\
ionalProperties/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err15]:vErrors.push(err15),errors++}}}else{const err16={instancePath:instancePath+
"/python/versions",schemaPath:"#/properties/python/properties/versions/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err16]:vErrors.push(
err16),errors++}}}else{const err17={instancePath:instancePath+"/python",schemaPath:"#/properties/python/type",keyword:"type",params:{type:"object"}};vErrors===null?
vErrors=[err17]:vErrors.push(err17),errors++}}if(data.recipes!==void 0){let data8=data.recipes;if(Array.isArray(data8)){const len1=data8.length;for(let i1=0;i1<
len1;i1++)validate16(data8[i1],{instancePath:instancePath+"/recipes/"+i1,parentData:data8,parentDataProperty:i1,rootData})||(vErrors=vErrors===null?validate16.errors:
vErrors.concat(validate16.errors),errors=vErrors.length)}else{const err18={instancePath:instancePath+"/recipes",schemaPath:"#/properties/recipes/type",keyword:"\
type",params:{type:"array"}};vErrors===null?vErrors=[err18]:vErrors.push(err18),errors++}}}else{const err19={instancePath,schemaPath:"#/type",keyword:"type",params:{
type:"object"}};vErrors===null?vErrors=[err19]:vErrors.push(err19),errors++}return validate15.errors=vErrors,errors===0}const schema34={type:"object",minProperties:1,
propertyNames:{$ref:"#/definitions/id"},additionalProperties:{$ref:"#/definitions/deployment"}},schema36={type:"object",additionalProperties:!1,properties:{type:{
type:"string",enum:["auto","sandbox","local","docker","pool","process","ray"]},limits:{type:"object",additionalProperties:!1,properties:{memory:{allOf:[{$ref:"#\
/definitions/size"}]},pids:{type:"integer",minimum:1},disk:{allOf:[{$ref:"#/definitions/size"}]},cpus:{type:"number",exclusiveMinimum:0}}},network:{type:"object",
additionalProperties:!1,properties:{build:{type:"string",enum:["off","proxy","host"]},rollout:{type:"string",enum:["off","proxy","host"]},grade:{type:"string",enum:[
"off","proxy","host"]}}},allow_hosts:{type:"array",items:{type:"string",pattern:"^(\\*\\.)?[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za\
-z0-9])?)*(:[0-9]{1,5})?$"}},base:{type:"string",pattern:"^(host|image|image:\\S+|debian:[a-z][a-z-]*)$"},pull:{type:"string",enum:["missing","always","never"]},
prewarm:{type:"integer",minimum:1},mounts:{type:"array",items:{type:"object",additionalProperties:!1,required:["from","to"],properties:{from:{type:"string",pattern:"\
\\S"},to:{type:"string",pattern:"^/"}}}},fallback:{type:"string",enum:["local"]},host:{type:"string",pattern:"^(unix|tcp|https?|ssh)://\\S+$"},env:{type:"object",
additionalProperties:{type:"string"},propertyNames:{pattern:"^[A-Za-z_][A-Za-z0-9_]*$"}},args:{type:"array",items:{type:"string",pattern:"^-"}},url:{type:"strin\
g",pattern:"^(https?://[^/\\s]+/?|unix:/[^\\u0000]+)$"},token:{type:"string",pattern:"\\S"},backend:{type:"string",enum:["sandbox","docker"]},resources:{type:"o\
bject",additionalProperties:!1,properties:{gpu:{type:"integer",minimum:0},pids:{type:"integer",minimum:1}}},activate:{type:"string",pattern:"\\S"},address:{type:"\
string",pattern:"^https?://[^/\\s]+/?$"},program:{type:"string",pattern:"\\S"},folder:{type:"string",pattern:"^[/~]"},items:{type:"integer",minimum:1,maximum:1024},
at_once:{type:"integer",minimum:1},lease:{allOf:[{$ref:"#/definitions/duration"}]},wait:{allOf:[{$ref:"#/definitions/duration"}]}}},schema37={type:["string","in\
teger"],pattern:"^[0-9]+(\\.[0-9]+)?([KMGT]i?)?B?$",exclusiveMinimum:0},pattern42=new RegExp("^[0-9]+(\\.[0-9]+)?([KMGT]i?)?B?$","u"),pattern44=new RegExp("^(\\*\
\\.)?[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*(:[0-9]{1,5})?$","u"),pattern45=new RegExp("^(host|image|image:\\S+|debian\
:[a-z][a-z-]*)$","u"),pattern48=new RegExp("^(unix|tcp|https?|ssh)://\\S+$","u"),pattern50=new RegExp("^-","u"),pattern51=new RegExp("^(https?://[^/\\s]+/?|unix:\
/[^\\u0000]+)$","u"),pattern54=new RegExp("^https?://[^/\\s]+/?$","u"),pattern56=new RegExp("^[/~]","u");function validate22(data,{instancePath="",parentData,parentDataProperty,
rootData=data}={}){let vErrors=null,errors=0;if(data&&typeof data=="object"&&!Array.isArray(data)){for(const key0 in data)if(!func2.call(schema36.properties,key0)){
const err0={instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key0}};vErrors===null?vErrors=[err0]:vErrors.
push(err0),errors++}if(data.type!==void 0){let data0=data.type;if(typeof data0!="string"){const err1={instancePath:instancePath+"/type",schemaPath:"#/properties\
/type/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err1]:vErrors.push(err1),errors++}if(!(data0==="auto"||data0==="sandbox"||data0==="lo\
cal"||data0==="docker"||data0==="pool"||data0==="process"||data0==="ray")){const err2={instancePath:instancePath+"/type",schemaPath:"#/properties/type/enum",keyword:"\
enum",params:{allowedValues:schema36.properties.type.enum}};vErrors===null?vErrors=[err2]:vErrors.push(err2),errors++}}if(data.limits!==void 0){let data1=data.limits;
if(data1&&typeof data1=="object"&&!Array.isArray(data1)){for(const key1 in data1)if(!(key1==="memory"||key1==="pids"||key1==="disk"||key1==="cpus")){const err3={
instancePath:instancePath+"/limits",schemaPath:"#/properties/limits/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key1}};vErrors===
null?vErrors=[err3]:vErrors.push(err3),errors++}if(data1.memory!==void 0){let data2=data1.memory;if(typeof data2!="string"&&!(typeof data2=="number"&&!(data2%1)&&
!isNaN(data2))){const err4={instancePath:instancePath+"/limits/memory",schemaPath:"#/definitions/size/type",keyword:"type",params:{type:schema37.type}};vErrors===
null?vErrors=[err4]:vErrors.push(err4),errors++}if(typeof data2=="number"&&(data2<=0||isNaN(data2))){const err5={instancePath:instancePath+"/limits/memory",schemaPath:"\
#/definitions/size/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err5]:vErrors.push(err5),errors++}if(typeof data2==
"string"&&!pattern42.test(data2)){const err6={instancePath:instancePath+"/limits/memory",schemaPath:"#/definitions/size/pattern",keyword:"pattern",params:{pattern:"\
^[0-9]+(\\.[0-9]+)?([KMGT]i?)?B?$"}};vErrors===null?vErrors=[err6]:vErrors.push(err6),errors++}}if(data1.pids!==void 0){let data3=data1.pids;if(!(typeof data3==
"number"&&!(data3%1)&&!isNaN(data3))){const err7={instancePath:instancePath+"/limits/pids",schemaPath:"#/properties/limits/properties/pids/type",keyword:"type",
params:{type:"integer"}};vErrors===null?vErrors=[err7]:vErrors.push(err7),errors++}if(typeof data3=="number"&&(data3<1||isNaN(data3))){const err8={instancePath:instancePath+
"/limits/pids",schemaPath:"#/properties/limits/properties/pids/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err8]:vErrors.
push(err8),errors++}}if(data1.disk!==void 0){let data4=data1.disk;if(typeof data4!="string"&&!(typeof data4=="number"&&!(data4%1)&&!isNaN(data4))){const err9={instancePath:instancePath+
"/limits/disk",schemaPath:"#/definitions/size/type",keyword:"type",params:{type:schema37.type}};vErrors===null?vErrors=[err9]:vErrors.push(err9),errors++}if(typeof data4==
"number"&&(data4<=0||isNaN(data4))){const err10={instancePath:instancePath+"/limits/disk",schemaPath:"#/definitions/size/exclusiveMinimum",keyword:"exclusiveMin\
imum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err10]:vErrors.push(err10),errors++}if(typeof data4=="string"&&!pattern42.test(data4)){const err11={
instancePath:instancePath+"/limits/disk",schemaPath:"#/definitions/size/pattern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?([KMGT]i?)?B?$"}};vErrors===
null?vErrors=[err11]:vErrors.push(err11),errors++}}if(data1.cpus!==void 0){let data5=data1.cpus;if(typeof data5=="number"){if(data5<=0||isNaN(data5)){const err12={
instancePath:instancePath+"/limits/cpus",schemaPath:"#/properties/limits/properties/cpus/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};
vErrors===null?vErrors=[err12]:vErrors.push(err12),errors++}}else{const err13={instancePath:instancePath+"/limits/cpus",schemaPath:"#/properties/limits/properti\
es/cpus/type",keyword:"type",params:{type:"number"}};vErrors===null?vErrors=[err13]:vErrors.push(err13),errors++}}}else{const err14={instancePath:instancePath+"\
/limits",schemaPath:"#/properties/limits/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err14]:vErrors.push(err14),errors++}}if(data.network!==
void 0){let data6=data.network;if(data6&&typeof data6=="object"&&!Array.isArray(data6)){for(const key2 in data6)if(!(key2==="build"||key2==="rollout"||key2==="g\
rade")){const err15={instancePath:instancePath+"/network",schemaPath:"#/properties/network/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key2}};
vErrors===null?vErrors=[err15]:vErrors.push(err15),errors++}if(data6.build!==void 0){let data7=data6.build;if(typeof data7!="string"){const err16={instancePath:instancePath+
"/network/build",schemaPath:"#/properties/network/properties/build/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err16]:vErrors.push(err16),
errors++}if(!(data7==="off"||data7==="proxy"||data7==="host")){const err17={instancePath:instancePath+"/network/build",schemaPath:"#/properties/network/properti\
es/build/enum",keyword:"enum",params:{allowedValues:schema36.properties.network.properties.build.enum}};vErrors===null?vErrors=[err17]:vErrors.push(err17),errors++}}
if(data6.rollout!==void 0){let data8=data6.rollout;if(typeof data8!="string"){const err18={instancePath:instancePath+"/network/rollout",schemaPath:"#/properties\
/network/properties/rollout/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err18]:vErrors.push(err18),errors++}if(!(data8==="off"||data8===
"proxy"||data8==="host")){const err19={instancePath:instancePath+"/network/rollout",schemaPath:"#/properties/network/properties/rollout/enum",keyword:"enum",params:{
allowedValues:schema36.properties.network.properties.rollout.enum}};vErrors===null?vErrors=[err19]:vErrors.push(err19),errors++}}if(data6.grade!==void 0){let data9=data6.
grade;if(typeof data9!="string"){const err20={instancePath:instancePath+"/network/grade",schemaPath:"#/properties/network/properties/grade/type",keyword:"type",
params:{type:"string"}};vErrors===null?vErrors=[err20]:vErrors.push(err20),errors++}if(!(data9==="off"||data9==="proxy"||data9==="host")){const err21={instancePath:instancePath+
"/network/grade",schemaPath:"#/properties/network/properties/grade/enum",keyword:"enum",params:{allowedValues:schema36.properties.network.properties.grade.enum}};
vErrors===null?vErrors=[err21]:vErrors.push(err21),errors++}}}else{const err22={instancePath:instancePath+"/network",schemaPath:"#/properties/network/type",keyword:"\
type",params:{type:"object"}};vErrors===null?vErrors=[err22]:vErrors.push(err22),errors++}}if(data.allow_hosts!==void 0){let data10=data.allow_hosts;if(Array.isArray(
data10)){const len0=data10.length;for(let i0=0;i0<len0;i0++){let data11=data10[i0];if(typeof data11=="string"){if(!pattern44.test(data11)){const err23={instancePath:instancePath+
"/allow_hosts/"+i0,schemaPath:"#/properties/allow_hosts/items/pattern",keyword:"pattern",params:{pattern:"^(\\*\\.)?[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\\.[A-Za\
-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*(:[0-9]{1,5})?$"}};vErrors===null?vErrors=[err23]:vErrors.push(err23),errors++}}else{const err24={instancePath:instancePath+"\
/allow_hosts/"+i0,schemaPath:"#/properties/allow_hosts/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err24]:vErrors.push(err24),errors++}}}else{
const err25={instancePath:instancePath+"/allow_hosts",schemaPath:"#/properties/allow_hosts/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err25]:
vErrors.push(err25),errors++}}if(data.base!==void 0){let data12=data.base;if(typeof data12=="string"){if(!pattern45.test(data12)){const err26={instancePath:instancePath+
"/base",schemaPath:"#/properties/base/pattern",keyword:"pattern",params:{pattern:"^(host|image|image:\\S+|debian:[a-z][a-z-]*)$"}};vErrors===null?vErrors=[err26]:
vErrors.push(err26),errors++}}else{const err27={instancePath:instancePath+"/base",schemaPath:"#/properties/base/type",keyword:"type",params:{type:"string"}};vErrors===
null?vErrors=[err27]:vErrors.push(err27),errors++}}if(data.pull!==void 0){let data13=data.pull;if(typeof data13!="string"){const err28={instancePath:instancePath+
"/pull",schemaPath:"#/properties/pull/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err28]:vErrors.push(err28),errors++}if(!(data13==="mi\
ssing"||data13==="always"||data13==="never")){const err29={instancePath:instancePath+"/pull",schemaPath:"#/properties/pull/enum",keyword:"enum",params:{allowedValues:schema36.
properties.pull.enum}};vErrors===null?vErrors=[err29]:vErrors.push(err29),errors++}}if(data.prewarm!==void 0){let data14=data.prewarm;if(!(typeof data14=="numbe\
r"&&!(data14%1)&&!isNaN(data14))){const err30={instancePath:instancePath+"/prewarm",schemaPath:"#/properties/prewarm/type",keyword:"type",params:{type:"integer"}};
vErrors===null?vErrors=[err30]:vErrors.push(err30),errors++}if(typeof data14=="number"&&(data14<1||isNaN(data14))){const err31={instancePath:instancePath+"/prew\
arm",schemaPath:"#/properties/prewarm/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err31]:vErrors.push(err31),errors++}}
if(data.mounts!==void 0){let data15=data.mounts;if(Array.isArray(data15)){const len1=data15.length;for(let i1=0;i1<len1;i1++){let data16=data15[i1];if(data16&&typeof data16==
"object"&&!Array.isArray(data16)){if(data16.from===void 0){const err32={instancePath:instancePath+"/mounts/"+i1,schemaPath:"#/properties/mounts/items/required",
keyword:"required",params:{missingProperty:"from"}};vErrors===null?vErrors=[err32]:vErrors.push(err32),errors++}if(data16.to===void 0){const err33={instancePath:instancePath+
"/mounts/"+i1,schemaPath:"#/properties/mounts/items/required",keyword:"required",params:{missingProperty:"to"}};vErrors===null?vErrors=[err33]:vErrors.push(err33),
errors++}for(const key3 in data16)if(!(key3==="from"||key3==="to")){const err34={instancePath:instancePath+"/mounts/"+i1,schemaPath:"#/properties/mounts/items/a\
dditionalProperties",keyword:"additionalProperties",params:{additionalProperty:key3}};vErrors===null?vErrors=[err34]:vErrors.push(err34),errors++}if(data16.from!==
void 0){let data17=data16.from;if(typeof data17=="string"){if(!pattern2.test(data17)){const err35={instancePath:instancePath+"/mounts/"+i1+"/from",schemaPath:"#\
/properties/mounts/items/properties/from/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err35]:vErrors.push(err35),errors++}}else{const err36={
instancePath:instancePath+"/mounts/"+i1+"/from",schemaPath:"#/properties/mounts/items/properties/from/type",keyword:"type",params:{type:"string"}};vErrors===null?
vErrors=[err36]:vErrors.push(err36),errors++}}if(data16.to!==void 0){let data18=data16.to;if(typeof data18=="string"){if(!pattern11.test(data18)){const err37={instancePath:instancePath+
"/mounts/"+i1+"/to",schemaPath:"#/properties/mounts/items/properties/to/pattern",keyword:"pattern",params:{pattern:"^/"}};vErrors===null?vErrors=[err37]:vErrors.
push(err37),errors++}}else{const err38={instancePath:instancePath+"/mounts/"+i1+"/to",schemaPath:"#/properties/mounts/items/properties/to/type",keyword:"type",params:{
type:"string"}};vErrors===null?vErrors=[err38]:vErrors.push(err38),errors++}}}else{const err39={instancePath:instancePath+"/mounts/"+i1,schemaPath:"#/properties\
/mounts/items/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err39]:vErrors.push(err39),errors++}}}else{const err40={instancePath:instancePath+
"/mounts",schemaPath:"#/properties/mounts/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err40]:vErrors.push(err40),errors++}}if(data.fallback!==
void 0){let data19=data.fallback;if(typeof data19!="string"){const err41={instancePath:instancePath+"/fallback",schemaPath:"#/properties/fallback/type",keyword:"\
type",params:{type:"string"}};vErrors===null?vErrors=[err41]:vErrors.push(err41),errors++}if(data19!=="local"){const err42={instancePath:instancePath+"/fallback",
schemaPath:"#/properties/fallback/enum",keyword:"enum",params:{allowedValues:schema36.properties.fallback.enum}};vErrors===null?vErrors=[err42]:vErrors.push(err42),
errors++}}if(data.host!==void 0){let data20=data.host;if(typeof data20=="string"){if(!pattern48.test(data20)){const err43={instancePath:instancePath+"/host",schemaPath:"\
#/properties/host/pattern",keyword:"pattern",params:{pattern:"^(unix|tcp|https?|ssh)://\\S+$"}};vErrors===null?vErrors=[err43]:vErrors.push(err43),errors++}}else{
const err44={instancePath:instancePath+"/host",schemaPath:"#/properties/host/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err44]:vErrors.
push(err44),errors++}}if(data.env!==void 0){let data21=data.env;if(data21&&typeof data21=="object"&&!Array.isArray(data21)){for(const key4 in data21){const _errs53=errors;
if(typeof key4=="string"&&!pattern27.test(key4)){const err45={instancePath:instancePath+"/env",schemaPath:"#/properties/env/propertyNames/pattern",keyword:"patt\
ern",params:{pattern:"^[A-Za-z_][A-Za-z0-9_]*$"},propertyName:key4};vErrors===null?vErrors=[err45]:vErrors.push(err45),errors++}var valid12=_errs53===errors;if(!valid12){
const err46={instancePath:instancePath+"/env",schemaPath:"#/properties/env/propertyNames",keyword:"propertyNames",params:{propertyName:key4}};vErrors===null?vErrors=
[err46]:vErrors.push(err46),errors++}}for(const key5 in data21)if(typeof data21[key5]!="string"){const err47={instancePath:instancePath+"/env/"+key5.replace(/~/g,
"~0").replace(/\//g,"~1"),schemaPath:"#/properties/env/additionalProperties/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err47]:vErrors.
push(err47),errors++}}else{const err48={instancePath:instancePath+"/env",schemaPath:"#/properties/env/type",keyword:"type",params:{type:"object"}};vErrors===null?
vErrors=[err48]:vErrors.push(err48),errors++}}if(data.args!==void 0){let data23=data.args;if(Array.isArray(data23)){const len2=data23.length;for(let i2=0;i2<len2;i2++){
let data24=data23[i2];if(typeof data24=="string"){if(!pattern50.test(data24)){const err49={instancePath:instancePath+"/args/"+i2,schemaPath:"#/properties/args/i\
tems/pattern",keyword:"pattern",params:{pattern:"^-"}};vErrors===null?vErrors=[err49]:vErrors.push(err49),errors++}}else{const err50={instancePath:instancePath+
"/args/"+i2,schemaPath:"#/properties/args/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err50]:vErrors.push(err50),errors++}}}else{
const err51={instancePath:instancePath+"/args",schemaPath:"#/properties/args/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err51]:vErrors.
push(err51),errors++}}if(data.url!==void 0){let data25=data.url;if(typeof data25=="string"){if(!pattern51.test(data25)){const err52={instancePath:instancePath+"\
/url",schemaPath:"#/properties/url/pattern",keyword:"pattern",params:{pattern:"^(https?://[^/\\s]+/?|unix:/[^\\u0000]+)$"}};vErrors===null?vErrors=[err52]:vErrors.
push(err52),errors++}}else{const err53={instancePath:instancePath+"/url",schemaPath:"#/properties/url/type",keyword:"type",params:{type:"string"}};vErrors===null?
vErrors=[err53]:vErrors.push(err53),errors++}}if(data.token!==void 0){let data26=data.token;if(typeof data26=="string"){if(!pattern2.test(data26)){const err54={
instancePath:instancePath+"/token",schemaPath:"#/properties/token/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err54]:vErrors.push(
err54),errors++}}else{const err55={instancePath:instancePath+"/token",schemaPath:"#/properties/token/type",keyword:"type",params:{type:"string"}};vErrors===null?
vErrors=[err55]:vErrors.push(err55),errors++}}if(data.backend!==void 0){let data27=data.backend;if(typeof data27!="string"){const err56={instancePath:instancePath+
"/backend",schemaPath:"#/properties/backend/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err56]:vErrors.push(err56),errors++}if(!(data27===
"sandbox"||data27==="docker")){const err57={instancePath:instancePath+"/backend",schemaPath:"#/properties/backend/enum",keyword:"enum",params:{allowedValues:schema36.
properties.backend.enum}};vErrors===null?vErrors=[err57]:vErrors.push(err57),errors++}}if(data.resources!==void 0){let data28=data.resources;if(data28&&typeof data28==
"object"&&!Array.isArray(data28)){for(const key6 in data28)if(!(key6==="gpu"||key6==="pids")){const err58={instancePath:instancePath+"/resources",schemaPath:"#/\
properties/resources/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key6}};vErrors===null?vErrors=[err58]:vErrors.push(err58),errors++}
if(data28.gpu!==void 0){let data29=data28.gpu;if(!(typeof data29=="number"&&!(data29%1)&&!isNaN(data29))){const err59={instancePath:instancePath+"/resources/gpu",
schemaPath:"#/properties/resources/properties/gpu/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err59]:vErrors.push(err59),errors++}if(typeof data29==
"number"&&(data29<0||isNaN(data29))){const err60={instancePath:instancePath+"/resources/gpu",schemaPath:"#/properties/resources/properties/gpu/minimum",keyword:"\
minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err60]:vErrors.push(err60),errors++}}if(data28.pids!==void 0){let data30=data28.pids;if(!(typeof data30==
"number"&&!(data30%1)&&!isNaN(data30))){const err61={instancePath:instancePath+"/resources/pids",schemaPath:"#/properties/resources/properties/pids/type",keyword:"\
type",params:{type:"integer"}};vErrors===null?vErrors=[err61]:vErrors.push(err61),errors++}if(typeof data30=="number"&&(data30<1||isNaN(data30))){const err62={instancePath:instancePath+
"/resources/pids",schemaPath:"#/properties/resources/properties/pids/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err62]:
vErrors.push(err62),errors++}}}else{const err63={instancePath:instancePath+"/resources",schemaPath:"#/properties/resources/type",keyword:"type",params:{type:"ob\
ject"}};vErrors===null?vErrors=[err63]:vErrors.push(err63),errors++}}if(data.activate!==void 0){let data31=data.activate;if(typeof data31=="string"){if(!pattern2.
test(data31)){const err64={instancePath:instancePath+"/activate",schemaPath:"#/properties/activate/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===
null?vErrors=[err64]:vErrors.push(err64),errors++}}else{const err65={instancePath:instancePath+"/activate",schemaPath:"#/properties/activate/type",keyword:"type",
params:{type:"string"}};vErrors===null?vErrors=[err65]:vErrors.push(err65),errors++}}if(data.address!==void 0){let data32=data.address;if(typeof data32=="string"){
if(!pattern54.test(data32)){const err66={instancePath:instancePath+"/address",schemaPath:"#/properties/address/pattern",keyword:"pattern",params:{pattern:"^http\
s?://[^/\\s]+/?$"}};vErrors===null?vErrors=[err66]:vErrors.push(err66),errors++}}else{const err67={instancePath:instancePath+"/address",schemaPath:"#/properties\
/address/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err67]:vErrors.push(err67),errors++}}if(data.program!==void 0){let data33=data.program;
if(typeof data33=="string"){if(!pattern2.test(data33)){const err68={instancePath:instancePath+"/program",schemaPath:"#/properties/program/pattern",keyword:"patt\
ern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err68]:vErrors.push(err68),errors++}}else{const err69={instancePath:instancePath+"/program",schemaPath:"#/p\
roperties/program/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err69]:vErrors.push(err69),errors++}}if(data.folder!==void 0){let data34=data.
folder;if(typeof data34=="string"){if(!pattern56.test(data34)){const err70={instancePath:instancePath+"/folder",schemaPath:"#/properties/folder/pattern",keyword:"\
pattern",params:{pattern:"^[/~]"}};vErrors===null?vErrors=[err70]:vErrors.push(err70),errors++}}else{const err71={instancePath:instancePath+"/folder",schemaPath:"\
#/properties/folder/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err71]:vErrors.push(err71),errors++}}if(data.items!==void 0){let data35=data.
items;if(!(typeof data35=="number"&&!(data35%1)&&!isNaN(data35))){const err72={instancePath:instancePath+"/items",schemaPath:"#/properties/items/type",keyword:"\
type",params:{type:"integer"}};vErrors===null?vErrors=[err72]:vErrors.push(err72),errors++}if(typeof data35=="number"){if(data35>1024||isNaN(data35)){const err73={
instancePath:instancePath+"/items",schemaPath:"#/properties/items/maximum",keyword:"maximum",params:{comparison:"<=",limit:1024}};vErrors===null?vErrors=[err73]:
vErrors.push(err73),errors++}if(data35<1||isNaN(data35)){const err74={instancePath:instancePath+"/items",schemaPath:"#/properties/items/minimum",keyword:"minimu\
m",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err74]:vErrors.push(err74),errors++}}}if(data.at_once!==void 0){let data36=data.at_once;if(!(typeof data36==
"number"&&!(data36%1)&&!isNaN(data36))){const err75={instancePath:instancePath+"/at_once",schemaPath:"#/properties/at_once/type",keyword:"type",params:{type:"in\
teger"}};vErrors===null?vErrors=[err75]:vErrors.push(err75),errors++}if(typeof data36=="number"&&(data36<1||isNaN(data36))){const err76={instancePath:instancePath+
"/at_once",schemaPath:"#/properties/at_once/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err76]:vErrors.push(err76),errors++}}
if(data.lease!==void 0){let data37=data.lease;if(typeof data37!="string"&&typeof data37!="number"){const err77={instancePath:instancePath+"/lease",schemaPath:"#\
/definitions/duration/type",keyword:"type",params:{type:schema29.type}};vErrors===null?vErrors=[err77]:vErrors.push(err77),errors++}if(typeof data37=="number"&&
(data37<=0||isNaN(data37))){const err78={instancePath:instancePath+"/lease",schemaPath:"#/definitions/duration/exclusiveMinimum",keyword:"exclusiveMinimum",params:{
comparison:">",limit:0}};vErrors===null?vErrors=[err78]:vErrors.push(err78),errors++}if(typeof data37=="string"&&!pattern34.test(data37)){const err79={instancePath:instancePath+
"/lease",schemaPath:"#/definitions/duration/pattern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===null?vErrors=[err79]:vErrors.
push(err79),errors++}}if(data.wait!==void 0){let data38=data.wait;if(typeof data38!="string"&&typeof data38!="number"){const err80={instancePath:instancePath+"/\
wait",schemaPath:"#/definitions/duration/type",keyword:"type",params:{type:schema29.type}};vErrors===null?vErrors=[err80]:vErrors.push(err80),errors++}if(typeof data38==
"number"&&(data38<=0||isNaN(data38))){const err81={instancePath:instancePath+"/wait",schemaPath:"#/definitions/duration/exclusiveMinimum",keyword:"exclusiveMini\
mum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err81]:vErrors.push(err81),errors++}if(typeof data38=="string"&&!pattern34.test(data38)){const err82={
instancePath:instancePath+"/wait",schemaPath:"#/definitions/duration/pattern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===
null?vErrors=[err82]:vErrors.push(err82),errors++}}}else{const err83={instancePath,schemaPath:"#/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=
[err83]:vErrors.push(err83),errors++}return validate22.errors=vErrors,errors===0}function validate21(data,{instancePath="",parentData,parentDataProperty,rootData=data}={}){
let vErrors=null,errors=0;if(data&&typeof data=="object"&&!Array.isArray(data)){if(Object.keys(data).length<1){const err0={instancePath,schemaPath:"#/minPropert\
ies",keyword:"minProperties",params:{limit:1}};vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}for(const key0 in data){const _errs1=errors;if(typeof key0==
"string"){if(!pattern1.test(key0)){const err1={instancePath,schemaPath:"#/definitions/id/pattern",keyword:"pattern",params:{pattern:"^[A-Za-z0-9][A-Za-z0-9_-]{0\
,63}$"},propertyName:key0};vErrors===null?vErrors=[err1]:vErrors.push(err1),errors++}}else{const err2={instancePath,schemaPath:"#/definitions/id/type",keyword:"\
type",params:{type:"string"},propertyName:key0};vErrors===null?vErrors=[err2]:vErrors.push(err2),errors++}var valid0=_errs1===errors;if(!valid0){const err3={instancePath,
schemaPath:"#/propertyNames",keyword:"propertyNames",params:{propertyName:key0}};vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}}for(const key1 in data)
validate22(data[key1],{instancePath:instancePath+"/"+key1.replace(/~/g,"~0").replace(/\//g,"~1"),parentData:data,parentDataProperty:key1,rootData})||(vErrors=vErrors===
null?validate22.errors:vErrors.concat(validate22.errors),errors=vErrors.length)}else{const err4={instancePath,schemaPath:"#/type",keyword:"type",params:{type:"o\
bject"}};vErrors===null?vErrors=[err4]:vErrors.push(err4),errors++}return validate21.errors=vErrors,errors===0}const schema41={type:"object",additionalProperties:!1,
properties:{deployment:{type:"string"},dataset:{type:"string"},gold_runs:{type:"integer",minimum:1},mutants:{type:"integer",minimum:0,maximum:20},timeout:{allOf:[
{$ref:"#/definitions/duration"}]},min_pass:{type:"string",pattern:"^(100|[0-9]{1,2}(\\.[0-9]+)?)%$"},allow_isolation:{type:"string",enum:["sandbox","local"]}}},
pattern60=new RegExp("^(100|[0-9]{1,2}(\\.[0-9]+)?)%$","u");function validate25(data,{instancePath="",parentData,parentDataProperty,rootData=data}={}){let vErrors=null,
errors=0;if(data&&typeof data=="object"&&!Array.isArray(data)){for(const key0 in data)if(!(key0==="deployment"||key0==="dataset"||key0==="gold_runs"||key0==="mu\
tants"||key0==="timeout"||key0==="min_pass"||key0==="allow_isolation")){const err0={instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperti\
es",params:{additionalProperty:key0}};vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}if(data.deployment!==void 0&&typeof data.deployment!="string"){const err1={
instancePath:instancePath+"/deployment",schemaPath:"#/properties/deployment/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err1]:vErrors.push(
err1),errors++}if(data.dataset!==void 0&&typeof data.dataset!="string"){const err2={instancePath:instancePath+"/dataset",schemaPath:"#/properties/dataset/type",
keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err2]:vErrors.push(err2),errors++}if(data.gold_runs!==void 0){let data2=data.gold_runs;if(!(typeof data2==
"number"&&!(data2%1)&&!isNaN(data2))){const err3={instancePath:instancePath+"/gold_runs",schemaPath:"#/properties/gold_runs/type",keyword:"type",params:{type:"i\
nteger"}};vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}if(typeof data2=="number"&&(data2<1||isNaN(data2))){const err4={instancePath:instancePath+"/\
gold_runs",schemaPath:"#/properties/gold_runs/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err4]:vErrors.push(err4),errors++}}
if(data.mutants!==void 0){let data3=data.mutants;if(!(typeof data3=="number"&&!(data3%1)&&!isNaN(data3))){const err5={instancePath:instancePath+"/mutants",schemaPath:"\
#/properties/mutants/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err5]:vErrors.push(err5),errors++}if(typeof data3=="number"){if(data3>
20||isNaN(data3)){const err6={instancePath:instancePath+"/mutants",schemaPath:"#/properties/mutants/maximum",keyword:"maximum",params:{comparison:"<=",limit:20}};
vErrors===null?vErrors=[err6]:vErrors.push(err6),errors++}if(data3<0||isNaN(data3)){const err7={instancePath:instancePath+"/mutants",schemaPath:"#/properties/mu\
tants/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err7]:vErrors.push(err7),errors++}}}if(data.timeout!==void 0){let data4=data.
timeout;if(typeof data4!="string"&&typeof data4!="number"){const err8={instancePath:instancePath+"/timeout",schemaPath:"#/definitions/duration/type",keyword:"ty\
pe",params:{type:schema29.type}};vErrors===null?vErrors=[err8]:vErrors.push(err8),errors++}if(typeof data4=="number"&&(data4<=0||isNaN(data4))){const err9={instancePath:instancePath+
"/timeout",schemaPath:"#/definitions/duration/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err9]:vErrors.
push(err9),errors++}if(typeof data4=="string"&&!pattern34.test(data4)){const err10={instancePath:instancePath+"/timeout",schemaPath:"#/definitions/duration/patt\
ern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===null?vErrors=[err10]:vErrors.push(err10),errors++}}if(data.min_pass!==void 0){
let data5=data.min_pass;if(typeof data5=="string"){if(!pattern60.test(data5)){const err11={instancePath:instancePath+"/min_pass",schemaPath:"#/properties/min_pa\
ss/pattern",keyword:"pattern",params:{pattern:"^(100|[0-9]{1,2}(\\.[0-9]+)?)%$"}};vErrors===null?vErrors=[err11]:vErrors.push(err11),errors++}}else{const err12={
instancePath:instancePath+"/min_pass",schemaPath:"#/properties/min_pass/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err12]:vErrors.push(
err12),errors++}}if(data.allow_isolation!==void 0){let data6=data.allow_isolation;if(typeof data6!="string"){const err13={instancePath:instancePath+"/allow_isol\
ation",schemaPath:"#/properties/allow_isolation/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err13]:vErrors.push(err13),errors++}if(!(data6===
"sandbox"||data6==="local")){const err14={instancePath:instancePath+"/allow_isolation",schemaPath:"#/properties/allow_isolation/enum",keyword:"enum",params:{allowedValues:schema41.
properties.allow_isolation.enum}};vErrors===null?vErrors=[err14]:vErrors.push(err14),errors++}}}else{const err15={instancePath,schemaPath:"#/type",keyword:"type",
params:{type:"object"}};vErrors===null?vErrors=[err15]:vErrors.push(err15),errors++}return validate25.errors=vErrors,errors===0}const schema43={type:"object",additionalProperties:!1,
properties:{type:{type:"string",enum:["bash","tools","command","acp","claude-code","codex","gemini-cli","mini-swe-agent","opencode","openhands","qwen-code","swe\
-agent","oracle","noop"]},dataset:{type:"string"},deployment:{type:"string"},rollouts:{type:"integer",minimum:1},seed:{type:"integer",minimum:0},baselines:{type:"\
array",items:{type:"string",enum:["oracle","noop"]}},dialect:{type:"string",enum:["v2","swe-rl"]},action_regex:{type:"string"},actions:{type:"string",enum:["fen\
ce","xml","tool-calls"]},model:{$ref:"#/definitions/model"},limits:{$ref:"#/definitions/limits_of_rollout"},context:{$ref:"#/definitions/context"},history:{$ref:"\
#/definitions/history"},step_rewards:{$ref:"#/definitions/step_rewards"},templates:{$ref:"#/definitions/templates"},user:{type:"object",additionalProperties:!1,
properties:{says:{type:"array",minItems:1,items:{type:"string"}},model:{$ref:"#/definitions/model"},prompt:{type:"string"},turns:{type:"integer",minimum:1}}},env:{
type:"object",additionalProperties:{type:"string"}},args:{type:"array",items:{type:"string"}},repository_settings:{type:"string",enum:["ignore","allow"]},tools:{
type:"array",minItems:1,items:{type:"string",pattern:"^[A-Za-z0-9_.:-]+$"}},program:{$ref:"#/definitions/agentProgram"},version:{type:"string",pattern:"^[0-9A-Z\
a-z.+_-]+$"},as_of:{type:"string",pattern:"^\\d{4}-\\d{2}-\\d{2}$"},source:{type:"string",pattern:"\\S"}}},schema52={type:"object",additionalProperties:!1,properties:{
strategy:{type:"string",enum:["full","head-tail","summary"]},max_tokens:{type:"integer",minimum:256},max_response_tokens:{type:"integer",minimum:1},head:{type:"\
number",minimum:0,maximum:1}}},schema53={type:"object",additionalProperties:!1,properties:{last_observations:{type:"integer",minimum:0},max_observation:{type:"i\
nteger",minimum:100}}},schema55={type:"object",additionalProperties:!1,properties:{from:{type:"string",pattern:"\\S"},system:{type:"string"},instance:{type:"str\
ing"},observation:{type:"string"},format_error:{type:"string"}}},schema56={type:"object",additionalProperties:!1,required:["protocol","run"],properties:{protocol:{
type:"string",enum:["openai-chat","openai-responses","anthropic-messages","google-generate"]},run:{type:"string",pattern:"\\S"},install:{type:"object",additionalProperties:!1,
properties:{source:{type:"string",pattern:"\\S"},npm:{type:"array",items:{type:"string",pattern:"\\S"}},node:{type:"string",pattern:"^\\d+\\.\\d+\\.\\d+$"},pip:{
type:"array",items:{type:"string",pattern:"\\S"}},python:{type:"string",pattern:"^\\d+\\.\\d+$"},platforms:{type:"array",items:{type:"string",pattern:"^linux-[a\
-z0-9]+$"}},check:{type:"string",pattern:"\\S"}}},files:{type:"object",additionalProperties:{type:"string"}},env:{type:"object",additionalProperties:{type:"stri\
ng"}},leaves:{type:"array",items:{type:"string",pattern:"\\S"}},obeys:{type:"array",items:{type:"string",pattern:"\\S"}}}},schema44={type:"object",additionalProperties:!1,
properties:{base_url:{type:"string",pattern:"^https?://"},name:{type:"string",pattern:"\\S"},identity:{type:"string",pattern:"\\S"},api_key:{type:"string"},temperature:{
type:"number",minimum:0,maximum:2},top_p:{type:"number",exclusiveMinimum:0,maximum:1},top_k:{type:"integer",minimum:-1},min_p:{type:"number",minimum:0,maximum:1},
repetition_penalty:{type:"number",exclusiveMinimum:0},stop:{type:"array",items:{type:"string",pattern:"[\\s\\S]"}},max_tokens:{type:"integer",minimum:1},extra:{
type:"object",additionalProperties:!0},tokens:{type:"string",enum:["auto","off"]},tool_format:{type:"string",enum:["hermes","qwen3-coder","llama3-json","mistral",
"glm4","kimi-k2","gpt-oss"]},render:{type:"string",enum:["chat","exact"]},tokenizer:{type:"string",pattern:"\\S"},context:{type:"integer",minimum:256},timeout:{
allOf:[{$ref:"#/definitions/duration"}]},retry:{allOf:[{$ref:"#/definitions/duration"}]},concurrency:{type:"integer",minimum:1},prices:{type:"string",pattern:"\\\
S"},serve:{type:"object",additionalProperties:!1,properties:{engine:{type:"string",enum:["vllm","sglang","llama.cpp"]},command:{type:"string",pattern:"\\S"},weights:{
type:"object",additionalProperties:!1,properties:{id:{type:"string",pattern:"^[A-Za-z0-9][\\w.-]*/[\\w.-]+$"},revision:{type:"string",pattern:"\\S"},path:{type:"\
string",pattern:"\\S"}}},deployment:{type:"string",pattern:"\\S"},gpus:{type:"integer",minimum:0},replicas:{type:"integer",minimum:1},hosts:{type:"array",minItems:1,
uniqueItems:!0,items:{type:"string",pattern:"^[A-Za-z0-9_][\\w.@-]*$"}},port:{type:"integer",minimum:1,maximum:65535},args:{type:"array",items:{type:"string"}},
env:{type:"object",propertyNames:{type:"string",pattern:"^[A-Za-z_][A-Za-z0-9_]*$"},additionalProperties:{type:"string"}},ready:{type:"string",pattern:"^/"},timeout:{
allOf:[{$ref:"#/definitions/duration"}]},hang:{allOf:[{$ref:"#/definitions/duration"}]}}}}},pattern61=new RegExp("^https?://","u"),pattern64=new RegExp("[\\s\\S]",
"u"),pattern70=new RegExp("^[A-Za-z0-9][\\w.-]*/[\\w.-]+$","u"),pattern74=new RegExp("^[A-Za-z0-9_][\\w.@-]*$","u");function validate28(data,{instancePath="",parentData,
parentDataProperty,rootData=data}={}){let vErrors=null,errors=0;if(data&&typeof data=="object"&&!Array.isArray(data)){for(const key0 in data)if(!func2.call(schema44.
properties,key0)){const err0={instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key0}};vErrors===null?vErrors=
[err0]:vErrors.push(err0),errors++}if(data.base_url!==void 0){let data0=data.base_url;if(typeof data0=="string"){if(!pattern61.test(data0)){const err1={instancePath:instancePath+
"/base_url",schemaPath:"#/properties/base_url/pattern",keyword:"pattern",params:{pattern:"^https?://"}};vErrors===null?vErrors=[err1]:vErrors.push(err1),errors++}}else{
const err2={instancePath:instancePath+"/base_url",schemaPath:"#/properties/base_url/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err2]:vErrors.
push(err2),errors++}}if(data.name!==void 0){let data1=data.name;if(typeof data1=="string"){if(!pattern2.test(data1)){const err3={instancePath:instancePath+"/nam\
e",schemaPath:"#/properties/name/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}}else{const err4={
instancePath:instancePath+"/name",schemaPath:"#/properties/name/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err4]:vErrors.push(err4),errors++}}
if(data.identity!==void 0){let data2=data.identity;if(typeof data2=="string"){if(!pattern2.test(data2)){const err5={instancePath:instancePath+"/identity",schemaPath:"\
#/properties/identity/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err5]:vErrors.push(err5),errors++}}else{const err6={instancePath:instancePath+
"/identity",schemaPath:"#/properties/identity/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err6]:vErrors.push(err6),errors++}}if(data.api_key!==
void 0&&typeof data.api_key!="string"){const err7={instancePath:instancePath+"/api_key",schemaPath:"#/properties/api_key/type",keyword:"type",params:{type:"stri\
ng"}};vErrors===null?vErrors=[err7]:vErrors.push(err7),errors++}if(data.temperature!==void 0){let data4=data.temperature;if(typeof data4=="number"){if(data4>2||
isNaN(data4)){const err8={instancePath:instancePath+"/temperature",schemaPath:"#/properties/temperature/maximum",keyword:"maximum",params:{comparison:"<=",limit:2}};
vErrors===null?vErrors=[err8]:vErrors.push(err8),errors++}if(data4<0||isNaN(data4)){const err9={instancePath:instancePath+"/temperature",schemaPath:"#/propertie\
s/temperature/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err9]:vErrors.push(err9),errors++}}else{const err10={instancePath:instancePath+
"/temperature",schemaPath:"#/properties/temperature/type",keyword:"type",params:{type:"number"}};vErrors===null?vErrors=[err10]:vErrors.push(err10),errors++}}if(data.
top_p!==void 0){let data5=data.top_p;if(typeof data5=="number"){if(data5>1||isNaN(data5)){const err11={instancePath:instancePath+"/top_p",schemaPath:"#/properti\
es/top_p/maximum",keyword:"maximum",params:{comparison:"<=",limit:1}};vErrors===null?vErrors=[err11]:vErrors.push(err11),errors++}if(data5<=0||isNaN(data5)){const err12={
instancePath:instancePath+"/top_p",schemaPath:"#/properties/top_p/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=
[err12]:vErrors.push(err12),errors++}}else{const err13={instancePath:instancePath+"/top_p",schemaPath:"#/properties/top_p/type",keyword:"type",params:{type:"num\
ber"}};vErrors===null?vErrors=[err13]:vErrors.push(err13),errors++}}if(data.top_k!==void 0){let data6=data.top_k;if(!(typeof data6=="number"&&!(data6%1)&&!isNaN(
data6))){const err14={instancePath:instancePath+"/top_k",schemaPath:"#/properties/top_k/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err14]:
vErrors.push(err14),errors++}if(typeof data6=="number"&&(data6<-1||isNaN(data6))){const err15={instancePath:instancePath+"/top_k",schemaPath:"#/properties/top_k\
/minimum",keyword:"minimum",params:{comparison:">=",limit:-1}};vErrors===null?vErrors=[err15]:vErrors.push(err15),errors++}}if(data.min_p!==void 0){let data7=data.
min_p;if(typeof data7=="number"){if(data7>1||isNaN(data7)){const err16={instancePath:instancePath+"/min_p",schemaPath:"#/properties/min_p/maximum",keyword:"maxi\
mum",params:{comparison:"<=",limit:1}};vErrors===null?vErrors=[err16]:vErrors.push(err16),errors++}if(data7<0||isNaN(data7)){const err17={instancePath:instancePath+
"/min_p",schemaPath:"#/properties/min_p/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err17]:vErrors.push(err17),errors++}}else{
const err18={instancePath:instancePath+"/min_p",schemaPath:"#/properties/min_p/type",keyword:"type",params:{type:"number"}};vErrors===null?vErrors=[err18]:vErrors.
push(err18),errors++}}if(data.repetition_penalty!==void 0){let data8=data.repetition_penalty;if(typeof data8=="number"){if(data8<=0||isNaN(data8)){const err19={
instancePath:instancePath+"/repetition_penalty",schemaPath:"#/properties/repetition_penalty/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",
limit:0}};vErrors===null?vErrors=[err19]:vErrors.push(err19),errors++}}else{const err20={instancePath:instancePath+"/repetition_penalty",schemaPath:"#/propertie\
s/repetition_penalty/type",keyword:"type",params:{type:"number"}};vErrors===null?vErrors=[err20]:vErrors.push(err20),errors++}}if(data.stop!==void 0){let data9=data.
stop;if(Array.isArray(data9)){const len0=data9.length;for(let i0=0;i0<len0;i0++){let data10=data9[i0];if(typeof data10=="string"){if(!pattern64.test(data10)){const err21={
instancePath:instancePath+"/stop/"+i0,schemaPath:"#/properties/stop/items/pattern",keyword:"pattern",params:{pattern:"[\\s\\S]"}};vErrors===null?vErrors=[err21]:
vErrors.push(err21),errors++}}else{const err22={instancePath:instancePath+"/stop/"+i0,schemaPath:"#/properties/stop/items/type",keyword:"type",params:{type:"str\
ing"}};vErrors===null?vErrors=[err22]:vErrors.push(err22),errors++}}}else{const err23={instancePath:instancePath+"/stop",schemaPath:"#/properties/stop/type",keyword:"\
type",params:{type:"array"}};vErrors===null?vErrors=[err23]:vErrors.push(err23),errors++}}if(data.max_tokens!==void 0){let data11=data.max_tokens;if(!(typeof data11==
"number"&&!(data11%1)&&!isNaN(data11))){const err24={instancePath:instancePath+"/max_tokens",schemaPath:"#/properties/max_tokens/type",keyword:"type",params:{type:"\
integer"}};vErrors===null?vErrors=[err24]:vErrors.push(err24),errors++}if(typeof data11=="number"&&(data11<1||isNaN(data11))){const err25={instancePath:instancePath+
"/max_tokens",schemaPath:"#/properties/max_tokens/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err25]:vErrors.push(err25),
errors++}}if(data.extra!==void 0){let data12=data.extra;if(!(data12&&typeof data12=="object"&&!Array.isArray(data12))){const err26={instancePath:instancePath+"/\
extra",schemaPath:"#/properties/extra/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err26]:vErrors.push(err26),errors++}}if(data.tokens!==
void 0){let data13=data.tokens;if(typeof data13!="string"){const err27={instancePath:instancePath+"/tokens",schemaPath:"#/properties/tokens/type",keyword:"type",
params:{type:"string"}};vErrors===null?vErrors=[err27]:vErrors.push(err27),errors++}if(!(data13==="auto"||data13==="off")){const err28={instancePath:instancePath+
"/tokens",schemaPath:"#/properties/tokens/enum",keyword:"enum",params:{allowedValues:schema44.properties.tokens.enum}};vErrors===null?vErrors=[err28]:vErrors.push(
err28),errors++}}if(data.tool_format!==void 0){let data14=data.tool_format;if(typeof data14!="string"){const err29={instancePath:instancePath+"/tool_format",schemaPath:"\
#/properties/tool_format/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err29]:vErrors.push(err29),errors++}if(!(data14==="hermes"||data14===
"qwen3-coder"||data14==="llama3-json"||data14==="mistral"||data14==="glm4"||data14==="kimi-k2"||data14==="gpt-oss")){const err30={instancePath:instancePath+"/to\
ol_format",schemaPath:"#/properties/tool_format/enum",keyword:"enum",params:{allowedValues:schema44.properties.tool_format.enum}};vErrors===null?vErrors=[err30]:
vErrors.push(err30),errors++}}if(data.render!==void 0){let data15=data.render;if(typeof data15!="string"){const err31={instancePath:instancePath+"/render",schemaPath:"\
#/properties/render/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err31]:vErrors.push(err31),errors++}if(!(data15==="chat"||data15==="exa\
ct")){const err32={instancePath:instancePath+"/render",schemaPath:"#/properties/render/enum",keyword:"enum",params:{allowedValues:schema44.properties.render.enum}};
vErrors===null?vErrors=[err32]:vErrors.push(err32),errors++}}if(data.tokenizer!==void 0){let data16=data.tokenizer;if(typeof data16=="string"){if(!pattern2.test(
data16)){const err33={instancePath:instancePath+"/tokenizer",schemaPath:"#/properties/tokenizer/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?
vErrors=[err33]:vErrors.push(err33),errors++}}else{const err34={instancePath:instancePath+"/tokenizer",schemaPath:"#/properties/tokenizer/type",keyword:"type",params:{
type:"string"}};vErrors===null?vErrors=[err34]:vErrors.push(err34),errors++}}if(data.context!==void 0){let data17=data.context;if(!(typeof data17=="number"&&!(data17%
1)&&!isNaN(data17))){const err35={instancePath:instancePath+"/context",schemaPath:"#/properties/context/type",keyword:"type",params:{type:"integer"}};vErrors===
null?vErrors=[err35]:vErrors.push(err35),errors++}if(typeof data17=="number"&&(data17<256||isNaN(data17))){const err36={instancePath:instancePath+"/context",schemaPath:"\
#/properties/context/minimum",keyword:"minimum",params:{comparison:">=",limit:256}};vErrors===null?vErrors=[err36]:vErrors.push(err36),errors++}}if(data.timeout!==
void 0){let data18=data.timeout;if(typeof data18!="string"&&typeof data18!="number"){const err37={instancePath:instancePath+"/timeout",schemaPath:"#/definitions\
/duration/type",keyword:"type",params:{type:schema29.type}};vErrors===null?vErrors=[err37]:vErrors.push(err37),errors++}if(typeof data18=="number"&&(data18<=0||
isNaN(data18))){const err38={instancePath:instancePath+"/timeout",schemaPath:"#/definitions/duration/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:"\
>",limit:0}};vErrors===null?vErrors=[err38]:vErrors.push(err38),errors++}if(typeof data18=="string"&&!pattern34.test(data18)){const err39={instancePath:instancePath+
"/timeout",schemaPath:"#/definitions/duration/pattern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===null?vErrors=[err39]:vErrors.
push(err39),errors++}}if(data.retry!==void 0){let data19=data.retry;if(typeof data19!="string"&&typeof data19!="number"){const err40={instancePath:instancePath+
"/retry",schemaPath:"#/definitions/duration/type",keyword:"type",params:{type:schema29.type}};vErrors===null?vErrors=[err40]:vErrors.push(err40),errors++}if(typeof data19==
"number"&&(data19<=0||isNaN(data19))){const err41={instancePath:instancePath+"/retry",schemaPath:"#/definitions/duration/exclusiveMinimum",keyword:"exclusiveMin\
imum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err41]:vErrors.push(err41),errors++}if(typeof data19=="string"&&!pattern34.test(data19)){const err42={
instancePath:instancePath+"/retry",schemaPath:"#/definitions/duration/pattern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===
null?vErrors=[err42]:vErrors.push(err42),errors++}}if(data.concurrency!==void 0){let data20=data.concurrency;if(!(typeof data20=="number"&&!(data20%1)&&!isNaN(data20))){
const err43={instancePath:instancePath+"/concurrency",schemaPath:"#/properties/concurrency/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=
[err43]:vErrors.push(err43),errors++}if(typeof data20=="number"&&(data20<1||isNaN(data20))){const err44={instancePath:instancePath+"/concurrency",schemaPath:"#/\
properties/concurrency/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err44]:vErrors.push(err44),errors++}}if(data.prices!==
void 0){let data21=data.prices;if(typeof data21=="string"){if(!pattern2.test(data21)){const err45={instancePath:instancePath+"/prices",schemaPath:"#/properties/\
prices/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err45]:vErrors.push(err45),errors++}}else{const err46={instancePath:instancePath+
"/prices",schemaPath:"#/properties/prices/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err46]:vErrors.push(err46),errors++}}if(data.serve!==
void 0){let data22=data.serve;if(data22&&typeof data22=="object"&&!Array.isArray(data22)){for(const key1 in data22)if(!func2.call(schema44.properties.serve.properties,
key1)){const err47={instancePath:instancePath+"/serve",schemaPath:"#/properties/serve/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key1}};
vErrors===null?vErrors=[err47]:vErrors.push(err47),errors++}if(data22.engine!==void 0){let data23=data22.engine;if(typeof data23!="string"){const err48={instancePath:instancePath+
"/serve/engine",schemaPath:"#/properties/serve/properties/engine/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err48]:vErrors.push(err48),
errors++}if(!(data23==="vllm"||data23==="sglang"||data23==="llama.cpp")){const err49={instancePath:instancePath+"/serve/engine",schemaPath:"#/properties/serve/p\
roperties/engine/enum",keyword:"enum",params:{allowedValues:schema44.properties.serve.properties.engine.enum}};vErrors===null?vErrors=[err49]:vErrors.push(err49),
errors++}}if(data22.command!==void 0){let data24=data22.command;if(typeof data24=="string"){if(!pattern2.test(data24)){const err50={instancePath:instancePath+"/\
serve/command",schemaPath:"#/properties/serve/properties/command/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err50]:vErrors.push(
err50),errors++}}else{const err51={instancePath:instancePath+"/serve/command",schemaPath:"#/properties/serve/properties/command/type",keyword:"type",params:{type:"\
string"}};vErrors===null?vErrors=[err51]:vErrors.push(err51),errors++}}if(data22.weights!==void 0){let data25=data22.weights;if(data25&&typeof data25=="object"&&
!Array.isArray(data25)){for(const key2 in data25)if(!(key2==="id"||key2==="revision"||key2==="path")){const err52={instancePath:instancePath+"/serve/weights",schemaPath:"\
#/properties/serve/properties/weights/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key2}};vErrors===null?vErrors=[err52]:vErrors.
push(err52),errors++}if(data25.id!==void 0){let data26=data25.id;if(typeof data26=="string"){if(!pattern70.test(data26)){const err53={instancePath:instancePath+
"/serve/weights/id",schemaPath:"#/properties/serve/properties/weights/properties/id/pattern",keyword:"pattern",params:{pattern:"^[A-Za-z0-9][\\w.-]*/[\\w.-]+$"}};
vErrors===null?vErrors=[err53]:vErrors.push(err53),errors++}}else{const err54={instancePath:instancePath+"/serve/weights/id",schemaPath:"#/properties/serve/prop\
erties/weights/properties/id/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err54]:vErrors.push(err54),errors++}}if(data25.revision!==void 0){
let data27=data25.revision;if(typeof data27=="string"){if(!pattern2.test(data27)){const err55={instancePath:instancePath+"/serve/weights/revision",schemaPath:"#\
/properties/serve/properties/weights/properties/revision/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err55]:vErrors.push(err55),errors++}}else{
const err56={instancePath:instancePath+"/serve/weights/revision",schemaPath:"#/properties/serve/properties/weights/properties/revision/type",keyword:"type",params:{
type:"string"}};vErrors===null?vErrors=[err56]:vErrors.push(err56),errors++}}if(data25.path!==void 0){let data28=data25.path;if(typeof data28=="string"){if(!pattern2.
test(data28)){const err57={instancePath:instancePath+"/serve/weights/path",schemaPath:"#/properties/serve/properties/weights/properties/path/pattern",keyword:"p\
attern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err57]:vErrors.push(err57),errors++}}else{const err58={instancePath:instancePath+"/serve/weights/path",schemaPath:"\
#/properties/serve/properties/weights/properties/path/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err58]:vErrors.push(err58),errors++}}}else{
const err59={instancePath:instancePath+"/serve/weights",schemaPath:"#/properties/serve/properties/weights/type",keyword:"type",params:{type:"object"}};vErrors===
null?vErrors=[err59]:vErrors.push(err59),errors++}}if(data22.deployment!==void 0){let data29=data22.deployment;if(typeof data29=="string"){if(!pattern2.test(data29)){
const err60={instancePath:instancePath+"/serve/deployment",schemaPath:"#/properties/serve/properties/deployment/pattern",keyword:"pattern",params:{pattern:"\\S"}};
vErrors===null?vErrors=[err60]:vErrors.push(err60),errors++}}else{const err61={instancePath:instancePath+"/serve/deployment",schemaPath:"#/properties/serve/prop\
erties/deployment/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err61]:vErrors.push(err61),errors++}}if(data22.gpus!==void 0){let data30=data22.
gpus;if(!(typeof data30=="number"&&!(data30%1)&&!isNaN(data30))){const err62={instancePath:instancePath+"/serve/gpus",schemaPath:"#/properties/serve/properties/\
gpus/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err62]:vErrors.push(err62),errors++}if(typeof data30=="number"&&(data30<0||isNaN(data30))){
const err63={instancePath:instancePath+"/serve/gpus",schemaPath:"#/properties/serve/properties/gpus/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};
vErrors===null?vErrors=[err63]:vErrors.push(err63),errors++}}if(data22.replicas!==void 0){let data31=data22.replicas;if(!(typeof data31=="number"&&!(data31%1)&&
!isNaN(data31))){const err64={instancePath:instancePath+"/serve/replicas",schemaPath:"#/properties/serve/properties/replicas/type",keyword:"type",params:{type:"\
integer"}};vErrors===null?vErrors=[err64]:vErrors.push(err64),errors++}if(typeof data31=="number"&&(data31<1||isNaN(data31))){const err65={instancePath:instancePath+
"/serve/replicas",schemaPath:"#/properties/serve/properties/replicas/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err65]:
vErrors.push(err65),errors++}}if(data22.hosts!==void 0){let data32=data22.hosts;if(Array.isArray(data32)){if(data32.length<1){const err66={instancePath:instancePath+
"/serve/hosts",schemaPath:"#/properties/serve/properties/hosts/minItems",keyword:"minItems",params:{limit:1}};vErrors===null?vErrors=[err66]:vErrors.push(err66),
errors++}const len1=data32.length;for(let i1=0;i1<len1;i1++){let data33=data32[i1];if(typeof data33=="string"){if(!pattern74.test(data33)){const err67={instancePath:instancePath+
"/serve/hosts/"+i1,schemaPath:"#/properties/serve/properties/hosts/items/pattern",keyword:"pattern",params:{pattern:"^[A-Za-z0-9_][\\w.@-]*$"}};vErrors===null?vErrors=
[err67]:vErrors.push(err67),errors++}}else{const err68={instancePath:instancePath+"/serve/hosts/"+i1,schemaPath:"#/properties/serve/properties/hosts/items/type",
keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err68]:vErrors.push(err68),errors++}}let i2=data32.length,j0;if(i2>1){const indices0={};for(;i2--;){
let item0=data32[i2];if(typeof item0=="string"){if(typeof indices0[item0]=="number"){j0=indices0[item0];const err69={instancePath:instancePath+"/serve/hosts",schemaPath:"\
#/properties/serve/properties/hosts/uniqueItems",keyword:"uniqueItems",params:{i:i2,j:j0}};vErrors===null?vErrors=[err69]:vErrors.push(err69),errors++;break}indices0[item0]=
i2}}}}else{const err70={instancePath:instancePath+"/serve/hosts",schemaPath:"#/properties/serve/properties/hosts/type",keyword:"type",params:{type:"array"}};vErrors===
null?vErrors=[err70]:vErrors.push(err70),errors++}}if(data22.port!==void 0){let data34=data22.port;if(!(typeof data34=="number"&&!(data34%1)&&!isNaN(data34))){const err71={
instancePath:instancePath+"/serve/port",schemaPath:"#/properties/serve/properties/port/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err71]:
vErrors.push(err71),errors++}if(typeof data34=="number"){if(data34>65535||isNaN(data34)){const err72={instancePath:instancePath+"/serve/port",schemaPath:"#/prop\
erties/serve/properties/port/maximum",keyword:"maximum",params:{comparison:"<=",limit:65535}};vErrors===null?vErrors=[err72]:vErrors.push(err72),errors++}if(data34<
1||isNaN(data34)){const err73={instancePath:instancePath+"/serve/port",schemaPath:"#/properties/serve/properties/port/minimum",keyword:"minimum",params:{comparison:"\
>=",limit:1}};vErrors===null?vErrors=[err73]:vErrors.push(err73),errors++}}}if(data22.args!==void 0){let data35=data22.args;if(Array.isArray(data35)){const len2=data35.
length;for(let i3=0;i3<len2;i3++)if(typeof data35[i3]!="string"){const err74={instancePath:instancePath+"/serve/args/"+i3,schemaPath:"#/properties/serve/propert\
ies/args/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err74]:vErrors.push(err74),errors++}}else{const err75={instancePath:instancePath+
"/serve/args",schemaPath:"#/properties/serve/properties/args/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err75]:vErrors.push(err75),errors++}}
if(data22.env!==void 0){let data37=data22.env;if(data37&&typeof data37=="object"&&!Array.isArray(data37)){for(const key3 in data37){const _errs85=errors;if(typeof key3==
"string"){if(!pattern27.test(key3)){const err76={instancePath:instancePath+"/serve/env",schemaPath:"#/properties/serve/properties/env/propertyNames/pattern",keyword:"\
pattern",params:{pattern:"^[A-Za-z_][A-Za-z0-9_]*$"},propertyName:key3};vErrors===null?vErrors=[err76]:vErrors.push(err76),errors++}}else{const err77={instancePath:instancePath+
"/serve/env",schemaPath:"#/properties/serve/properties/env/propertyNames/type",keyword:"type",params:{type:"string"},propertyName:key3};vErrors===null?vErrors=[
err77]:vErrors.push(err77),errors++}var valid14=_errs85===errors;if(!valid14){const err78={instancePath:instancePath+"/serve/env",schemaPath:"#/properties/serve\
/properties/env/propertyNames",keyword:"propertyNames",params:{propertyName:key3}};vErrors===null?vErrors=[err78]:vErrors.push(err78),errors++}}for(const key4 in data37)
if(typeof data37[key4]!="string"){const err79={instancePath:instancePath+"/serve/env/"+key4.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/serv\
e/properties/env/additionalProperties/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err79]:vErrors.push(err79),errors++}}else{const err80={
instancePath:instancePath+"/serve/env",schemaPath:"#/properties/serve/properties/env/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err80]:
vErrors.push(err80),errors++}}if(data22.ready!==void 0){let data39=data22.ready;if(typeof data39=="string"){if(!pattern11.test(data39)){const err81={instancePath:instancePath+
"/serve/ready",schemaPath:"#/properties/serve/properties/ready/pattern",keyword:"pattern",params:{pattern:"^/"}};vErrors===null?vErrors=[err81]:vErrors.push(err81),
errors++}}else{const err82={instancePath:instancePath+"/serve/ready",schemaPath:"#/properties/serve/properties/ready/type",keyword:"type",params:{type:"string"}};
vErrors===null?vErrors=[err82]:vErrors.push(err82),errors++}}if(data22.timeout!==void 0){let data40=data22.timeout;if(typeof data40!="string"&&typeof data40!="n\
umber"){const err83={instancePath:instancePath+"/serve/timeout",schemaPath:"#/definitions/duration/type",keyword:"type",params:{type:schema29.type}};vErrors===null?
vErrors=[err83]:vErrors.push(err83),errors++}if(typeof data40=="number"&&(data40<=0||isNaN(data40))){const err84={instancePath:instancePath+"/serve/timeout",schemaPath:"\
#/definitions/duration/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err84]:vErrors.push(err84),errors++}
if(typeof data40=="string"&&!pattern34.test(data40)){const err85={instancePath:instancePath+"/serve/timeout",schemaPath:"#/definitions/duration/pattern",keyword:"\
pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===null?vErrors=[err85]:vErrors.push(err85),errors++}}if(data22.hang!==void 0){let data41=data22.
hang;if(typeof data41!="string"&&typeof data41!="number"){const err86={instancePath:instancePath+"/serve/hang",schemaPath:"#/definitions/duration/type",keyword:"\
type",params:{type:schema29.type}};vErrors===null?vErrors=[err86]:vErrors.push(err86),errors++}if(typeof data41=="number"&&(data41<=0||isNaN(data41))){const err87={
instancePath:instancePath+"/serve/hang",schemaPath:"#/definitions/duration/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===
null?vErrors=[err87]:vErrors.push(err87),errors++}if(typeof data41=="string"&&!pattern34.test(data41)){const err88={instancePath:instancePath+"/serve/hang",schemaPath:"\
#/definitions/duration/pattern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===null?vErrors=[err88]:vErrors.push(err88),errors++}}}else{
const err89={instancePath:instancePath+"/serve",schemaPath:"#/properties/serve/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err89]:vErrors.
push(err89),errors++}}}else{const err90={instancePath,schemaPath:"#/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err90]:vErrors.push(err90),
errors++}return validate28.errors=vErrors,errors===0}const schema49={type:"object",additionalProperties:!1,properties:{steps:{type:"integer",minimum:0},time:{allOf:[
{$ref:"#/definitions/duration"}]},command:{allOf:[{$ref:"#/definitions/duration"}]},cost:{type:"number",minimum:0},tokens:{type:"integer",minimum:0},format_errors:{
type:"integer",minimum:0},repeated_commands:{type:"integer",minimum:0}}};function validate30(data,{instancePath="",parentData,parentDataProperty,rootData=data}={}){
let vErrors=null,errors=0;if(data&&typeof data=="object"&&!Array.isArray(data)){for(const key0 in data)if(!(key0==="steps"||key0==="time"||key0==="command"||key0===
"cost"||key0==="tokens"||key0==="format_errors"||key0==="repeated_commands")){const err0={instancePath,schemaPath:"#/additionalProperties",keyword:"additionalPr\
operties",params:{additionalProperty:key0}};vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}if(data.steps!==void 0){let data0=data.steps;if(!(typeof data0==
"number"&&!(data0%1)&&!isNaN(data0))){const err1={instancePath:instancePath+"/steps",schemaPath:"#/properties/steps/type",keyword:"type",params:{type:"integer"}};
vErrors===null?vErrors=[err1]:vErrors.push(err1),errors++}if(typeof data0=="number"&&(data0<0||isNaN(data0))){const err2={instancePath:instancePath+"/steps",schemaPath:"\
#/properties/steps/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err2]:vErrors.push(err2),errors++}}if(data.time!==void 0){
let data1=data.time;if(typeof data1!="string"&&typeof data1!="number"){const err3={instancePath:instancePath+"/time",schemaPath:"#/definitions/duration/type",keyword:"\
type",params:{type:schema29.type}};vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}if(typeof data1=="number"&&(data1<=0||isNaN(data1))){const err4={instancePath:instancePath+
"/time",schemaPath:"#/definitions/duration/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err4]:vErrors.push(
err4),errors++}if(typeof data1=="string"&&!pattern34.test(data1)){const err5={instancePath:instancePath+"/time",schemaPath:"#/definitions/duration/pattern",keyword:"\
pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===null?vErrors=[err5]:vErrors.push(err5),errors++}}if(data.command!==void 0){let data2=data.
command;if(typeof data2!="string"&&typeof data2!="number"){const err6={instancePath:instancePath+"/command",schemaPath:"#/definitions/duration/type",keyword:"ty\
pe",params:{type:schema29.type}};vErrors===null?vErrors=[err6]:vErrors.push(err6),errors++}if(typeof data2=="number"&&(data2<=0||isNaN(data2))){const err7={instancePath:instancePath+
"/command",schemaPath:"#/definitions/duration/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err7]:vErrors.
push(err7),errors++}if(typeof data2=="string"&&!pattern34.test(data2)){const err8={instancePath:instancePath+"/command",schemaPath:"#/definitions/duration/patte\
rn",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===null?vErrors=[err8]:vErrors.push(err8),errors++}}if(data.cost!==void 0){let data3=data.
cost;if(typeof data3=="number"){if(data3<0||isNaN(data3)){const err9={instancePath:instancePath+"/cost",schemaPath:"#/properties/cost/minimum",keyword:"minimum",
params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err9]:vErrors.push(err9),errors++}}else{const err10={instancePath:instancePath+"/cost",schemaPath:"#/p\
roperties/cost/type",keyword:"type",params:{type:"number"}};vErrors===null?vErrors=[err10]:vErrors.push(err10),errors++}}if(data.tokens!==void 0){let data4=data.
tokens;if(!(typeof data4=="number"&&!(data4%1)&&!isNaN(data4))){const err11={instancePath:instancePath+"/tokens",schemaPath:"#/properties/tokens/type",keyword:"\
type",params:{type:"integer"}};vErrors===null?vErrors=[err11]:vErrors.push(err11),errors++}if(typeof data4=="number"&&(data4<0||isNaN(data4))){const err12={instancePath:instancePath+
"/tokens",schemaPath:"#/properties/tokens/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err12]:vErrors.push(err12),errors++}}
if(data.format_errors!==void 0){let data5=data.format_errors;if(!(typeof data5=="number"&&!(data5%1)&&!isNaN(data5))){const err13={instancePath:instancePath+"/f\
ormat_errors",schemaPath:"#/properties/format_errors/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err13]:vErrors.push(err13),errors++}if(typeof data5==
"number"&&(data5<0||isNaN(data5))){const err14={instancePath:instancePath+"/format_errors",schemaPath:"#/properties/format_errors/minimum",keyword:"minimum",params:{
comparison:">=",limit:0}};vErrors===null?vErrors=[err14]:vErrors.push(err14),errors++}}if(data.repeated_commands!==void 0){let data6=data.repeated_commands;if(!(typeof data6==
"number"&&!(data6%1)&&!isNaN(data6))){const err15={instancePath:instancePath+"/repeated_commands",schemaPath:"#/properties/repeated_commands/type",keyword:"type",
params:{type:"integer"}};vErrors===null?vErrors=[err15]:vErrors.push(err15),errors++}if(typeof data6=="number"&&(data6<0||isNaN(data6))){const err16={instancePath:instancePath+
"/repeated_commands",schemaPath:"#/properties/repeated_commands/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err16]:vErrors.
push(err16),errors++}}}else{const err17={instancePath,schemaPath:"#/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err17]:vErrors.push(err17),
errors++}return validate30.errors=vErrors,errors===0}const schema54={type:"object",additionalProperties:!1,required:["model"],properties:{model:{$ref:"#/definit\
ions/model"},votes:{type:"integer",minimum:1},coefficient:{type:"number"},history_steps:{type:"integer",minimum:1},skip_submit:{type:"boolean"}}};function validate32(data,{
instancePath="",parentData,parentDataProperty,rootData=data}={}){let vErrors=null,errors=0;if(data&&typeof data=="object"&&!Array.isArray(data)){if(data.model===
void 0){const err0={instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty:"model"}};vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}
for(const key0 in data)if(!(key0==="model"||key0==="votes"||key0==="coefficient"||key0==="history_steps"||key0==="skip_submit")){const err1={instancePath,schemaPath:"\
#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key0}};vErrors===null?vErrors=[err1]:vErrors.push(err1),errors++}if(data.model!==
void 0&&(validate28(data.model,{instancePath:instancePath+"/model",parentData:data,parentDataProperty:"model",rootData})||(vErrors=vErrors===null?validate28.errors:
vErrors.concat(validate28.errors),errors=vErrors.length)),data.votes!==void 0){let data1=data.votes;if(!(typeof data1=="number"&&!(data1%1)&&!isNaN(data1))){const err2={
instancePath:instancePath+"/votes",schemaPath:"#/properties/votes/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err2]:vErrors.push(err2),
errors++}if(typeof data1=="number"&&(data1<1||isNaN(data1))){const err3={instancePath:instancePath+"/votes",schemaPath:"#/properties/votes/minimum",keyword:"min\
imum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}}if(data.coefficient!==void 0&&typeof data.coefficient!="numbe\
r"){const err4={instancePath:instancePath+"/coefficient",schemaPath:"#/properties/coefficient/type",keyword:"type",params:{type:"number"}};vErrors===null?vErrors=
[err4]:vErrors.push(err4),errors++}if(data.history_steps!==void 0){let data3=data.history_steps;if(!(typeof data3=="number"&&!(data3%1)&&!isNaN(data3))){const err5={
instancePath:instancePath+"/history_steps",schemaPath:"#/properties/history_steps/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err5]:vErrors.
push(err5),errors++}if(typeof data3=="number"&&(data3<1||isNaN(data3))){const err6={instancePath:instancePath+"/history_steps",schemaPath:"#/properties/history_\
steps/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err6]:vErrors.push(err6),errors++}}if(data.skip_submit!==void 0&&typeof data.
skip_submit!="boolean"){const err7={instancePath:instancePath+"/skip_submit",schemaPath:"#/properties/skip_submit/type",keyword:"type",params:{type:"boolean"}};
vErrors===null?vErrors=[err7]:vErrors.push(err7),errors++}}else{const err8={instancePath,schemaPath:"#/type",keyword:"type",params:{type:"object"}};vErrors===null?
vErrors=[err8]:vErrors.push(err8),errors++}return validate32.errors=vErrors,errors===0}const pattern82=new RegExp("^[A-Za-z0-9_.:-]+$","u"),pattern86=new RegExp(
"^\\d+\\.\\d+\\.\\d+$","u"),pattern88=new RegExp("^\\d+\\.\\d+$","u"),pattern89=new RegExp("^linux-[a-z0-9]+$","u"),pattern93=new RegExp("^[0-9A-Za-z.+_-]+$","u"),
pattern94=new RegExp("^\\d{4}-\\d{2}-\\d{2}$","u");function validate27(data,{instancePath="",parentData,parentDataProperty,rootData=data}={}){let vErrors=null,errors=0;
if(data&&typeof data=="object"&&!Array.isArray(data)){for(const key0 in data)if(!func2.call(schema43.properties,key0)){const err0={instancePath,schemaPath:"#/ad\
ditionalProperties",keyword:"additionalProperties",params:{additionalProperty:key0}};vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}if(data.type!==void 0){
let data0=data.type;if(typeof data0!="string"){const err1={instancePath:instancePath+"/type",schemaPath:"#/properties/type/type",keyword:"type",params:{type:"st\
ring"}};vErrors===null?vErrors=[err1]:vErrors.push(err1),errors++}if(!(data0==="bash"||data0==="tools"||data0==="command"||data0==="acp"||data0==="claude-code"||
data0==="codex"||data0==="gemini-cli"||data0==="mini-swe-agent"||data0==="opencode"||data0==="openhands"||data0==="qwen-code"||data0==="swe-agent"||data0==="ora\
cle"||data0==="noop")){const err2={instancePath:instancePath+"/type",schemaPath:"#/properties/type/enum",keyword:"enum",params:{allowedValues:schema43.properties.
type.enum}};vErrors===null?vErrors=[err2]:vErrors.push(err2),errors++}}if(data.dataset!==void 0&&typeof data.dataset!="string"){const err3={instancePath:instancePath+
"/dataset",schemaPath:"#/properties/dataset/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}if(data.deployment!==
void 0&&typeof data.deployment!="string"){const err4={instancePath:instancePath+"/deployment",schemaPath:"#/properties/deployment/type",keyword:"type",params:{type:"\
string"}};vErrors===null?vErrors=[err4]:vErrors.push(err4),errors++}if(data.rollouts!==void 0){let data3=data.rollouts;if(!(typeof data3=="number"&&!(data3%1)&&
!isNaN(data3))){const err5={instancePath:instancePath+"/rollouts",schemaPath:"#/properties/rollouts/type",keyword:"type",params:{type:"integer"}};vErrors===null?
vErrors=[err5]:vErrors.push(err5),errors++}if(typeof data3=="number"&&(data3<1||isNaN(data3))){const err6={instancePath:instancePath+"/rollouts",schemaPath:"#/p\
roperties/rollouts/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err6]:vErrors.push(err6),errors++}}if(data.seed!==void 0){
let data4=data.seed;if(!(typeof data4=="number"&&!(data4%1)&&!isNaN(data4))){const err7={instancePath:instancePath+"/seed",schemaPath:"#/properties/seed/type",keyword:"\
type",params:{type:"integer"}};vErrors===null?vErrors=[err7]:vErrors.push(err7),errors++}if(typeof data4=="number"&&(data4<0||isNaN(data4))){const err8={instancePath:instancePath+
"/seed",schemaPath:"#/properties/seed/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err8]:vErrors.push(err8),errors++}}if(data.
baselines!==void 0){let data5=data.baselines;if(Array.isArray(data5)){const len0=data5.length;for(let i0=0;i0<len0;i0++){let data6=data5[i0];if(typeof data6!="s\
tring"){const err9={instancePath:instancePath+"/baselines/"+i0,schemaPath:"#/properties/baselines/items/type",keyword:"type",params:{type:"string"}};vErrors===null?
vErrors=[err9]:vErrors.push(err9),errors++}if(!(data6==="oracle"||data6==="noop")){const err10={instancePath:instancePath+"/baselines/"+i0,schemaPath:"#/propert\
ies/baselines/items/enum",keyword:"enum",params:{allowedValues:schema43.properties.baselines.items.enum}};vErrors===null?vErrors=[err10]:vErrors.push(err10),errors++}}}else{
const err11={instancePath:instancePath+"/baselines",schemaPath:"#/properties/baselines/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err11]:
vErrors.push(err11),errors++}}if(data.dialect!==void 0){let data7=data.dialect;if(typeof data7!="string"){const err12={instancePath:instancePath+"/dialect",schemaPath:"\
#/properties/dialect/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err12]:vErrors.push(err12),errors++}if(!(data7==="v2"||data7==="swe-rl")){
const err13={instancePath:instancePath+"/dialect",schemaPath:"#/properties/dialect/enum",keyword:"enum",params:{allowedValues:schema43.properties.dialect.enum}};
vErrors===null?vErrors=[err13]:vErrors.push(err13),errors++}}if(data.action_regex!==void 0&&typeof data.action_regex!="string"){const err14={instancePath:instancePath+
"/action_regex",schemaPath:"#/properties/action_regex/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err14]:vErrors.push(err14),errors++}if(data.
actions!==void 0){let data9=data.actions;if(typeof data9!="string"){const err15={instancePath:instancePath+"/actions",schemaPath:"#/properties/actions/type",keyword:"\
type",params:{type:"string"}};vErrors===null?vErrors=[err15]:vErrors.push(err15),errors++}if(!(data9==="fence"||data9==="xml"||data9==="tool-calls")){const err16={
instancePath:instancePath+"/actions",schemaPath:"#/properties/actions/enum",keyword:"enum",params:{allowedValues:schema43.properties.actions.enum}};vErrors===null?
vErrors=[err16]:vErrors.push(err16),errors++}}if(data.model!==void 0&&(validate28(data.model,{instancePath:instancePath+"/model",parentData:data,parentDataProperty:"\
model",rootData})||(vErrors=vErrors===null?validate28.errors:vErrors.concat(validate28.errors),errors=vErrors.length)),data.limits!==void 0&&(validate30(data.limits,
{instancePath:instancePath+"/limits",parentData:data,parentDataProperty:"limits",rootData})||(vErrors=vErrors===null?validate30.errors:vErrors.concat(validate30.
errors),errors=vErrors.length)),data.context!==void 0){let data12=data.context;if(data12&&typeof data12=="object"&&!Array.isArray(data12)){for(const key1 in data12)
if(!(key1==="strategy"||key1==="max_tokens"||key1==="max_response_tokens"||key1==="head")){const err17={instancePath:instancePath+"/context",schemaPath:"#/defin\
itions/context/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key1}};vErrors===null?vErrors=[err17]:vErrors.push(err17),errors++}
if(data12.strategy!==void 0){let data13=data12.strategy;if(typeof data13!="string"){const err18={instancePath:instancePath+"/context/strategy",schemaPath:"#/def\
initions/context/properties/strategy/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err18]:vErrors.push(err18),errors++}if(!(data13==="ful\
l"||data13==="head-tail"||data13==="summary")){const err19={instancePath:instancePath+"/context/strategy",schemaPath:"#/definitions/context/properties/strategy/\
enum",keyword:"enum",params:{allowedValues:schema52.properties.strategy.enum}};vErrors===null?vErrors=[err19]:vErrors.push(err19),errors++}}if(data12.max_tokens!==
void 0){let data14=data12.max_tokens;if(!(typeof data14=="number"&&!(data14%1)&&!isNaN(data14))){const err20={instancePath:instancePath+"/context/max_tokens",schemaPath:"\
#/definitions/context/properties/max_tokens/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err20]:vErrors.push(err20),errors++}if(typeof data14==
"number"&&(data14<256||isNaN(data14))){const err21={instancePath:instancePath+"/context/max_tokens",schemaPath:"#/definitions/context/properties/max_tokens/mini\
mum",keyword:"minimum",params:{comparison:">=",limit:256}};vErrors===null?vErrors=[err21]:vErrors.push(err21),errors++}}if(data12.max_response_tokens!==void 0){
let data15=data12.max_response_tokens;if(!(typeof data15=="number"&&!(data15%1)&&!isNaN(data15))){const err22={instancePath:instancePath+"/context/max_response_\
tokens",schemaPath:"#/definitions/context/properties/max_response_tokens/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err22]:vErrors.push(
err22),errors++}if(typeof data15=="number"&&(data15<1||isNaN(data15))){const err23={instancePath:instancePath+"/context/max_response_tokens",schemaPath:"#/defin\
itions/context/properties/max_response_tokens/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err23]:vErrors.push(err23),errors++}}
if(data12.head!==void 0){let data16=data12.head;if(typeof data16=="number"){if(data16>1||isNaN(data16)){const err24={instancePath:instancePath+"/context/head",schemaPath:"\
#/definitions/context/properties/head/maximum",keyword:"maximum",params:{comparison:"<=",limit:1}};vErrors===null?vErrors=[err24]:vErrors.push(err24),errors++}if(data16<
0||isNaN(data16)){const err25={instancePath:instancePath+"/context/head",schemaPath:"#/definitions/context/properties/head/minimum",keyword:"minimum",params:{comparison:"\
>=",limit:0}};vErrors===null?vErrors=[err25]:vErrors.push(err25),errors++}}else{const err26={instancePath:instancePath+"/context/head",schemaPath:"#/definitions\
/context/properties/head/type",keyword:"type",params:{type:"number"}};vErrors===null?vErrors=[err26]:vErrors.push(err26),errors++}}}else{const err27={instancePath:instancePath+
"/context",schemaPath:"#/definitions/context/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err27]:vErrors.push(err27),errors++}}if(data.history!==
void 0){let data17=data.history;if(data17&&typeof data17=="object"&&!Array.isArray(data17)){for(const key2 in data17)if(!(key2==="last_observations"||key2==="ma\
x_observation")){const err28={instancePath:instancePath+"/history",schemaPath:"#/definitions/history/additionalProperties",keyword:"additionalProperties",params:{
additionalProperty:key2}};vErrors===null?vErrors=[err28]:vErrors.push(err28),errors++}if(data17.last_observations!==void 0){let data18=data17.last_observations;
if(!(typeof data18=="number"&&!(data18%1)&&!isNaN(data18))){const err29={instancePath:instancePath+"/history/last_observations",schemaPath:"#/definitions/histor\
y/properties/last_observations/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err29]:vErrors.push(err29),errors++}if(typeof data18=="numb\
er"&&(data18<0||isNaN(data18))){const err30={instancePath:instancePath+"/history/last_observations",schemaPath:"#/definitions/history/properties/last_observatio\
ns/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err30]:vErrors.push(err30),errors++}}if(data17.max_observation!==void 0){
let data19=data17.max_observation;if(!(typeof data19=="number"&&!(data19%1)&&!isNaN(data19))){const err31={instancePath:instancePath+"/history/max_observation",
schemaPath:"#/definitions/history/properties/max_observation/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err31]:vErrors.push(err31),errors++}
if(typeof data19=="number"&&(data19<100||isNaN(data19))){const err32={instancePath:instancePath+"/history/max_observation",schemaPath:"#/definitions/history/pro\
perties/max_observation/minimum",keyword:"minimum",params:{comparison:">=",limit:100}};vErrors===null?vErrors=[err32]:vErrors.push(err32),errors++}}}else{const err33={
instancePath:instancePath+"/history",schemaPath:"#/definitions/history/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err33]:vErrors.push(
err33),errors++}}if(data.step_rewards!==void 0&&(validate32(data.step_rewards,{instancePath:instancePath+"/step_rewards",parentData:data,parentDataProperty:"ste\
p_rewards",rootData})||(vErrors=vErrors===null?validate32.errors:vErrors.concat(validate32.errors),errors=vErrors.length)),data.templates!==void 0){let data21=data.
templates;if(data21&&typeof data21=="object"&&!Array.isArray(data21)){for(const key3 in data21)if(!(key3==="from"||key3==="system"||key3==="instance"||key3==="o\
bservation"||key3==="format_error")){const err34={instancePath:instancePath+"/templates",schemaPath:"#/definitions/templates/additionalProperties",keyword:"addi\
tionalProperties",params:{additionalProperty:key3}};vErrors===null?vErrors=[err34]:vErrors.push(err34),errors++}if(data21.from!==void 0){let data22=data21.from;
if(typeof data22=="string"){if(!pattern2.test(data22)){const err35={instancePath:instancePath+"/templates/from",schemaPath:"#/definitions/templates/properties/f\
rom/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err35]:vErrors.push(err35),errors++}}else{const err36={instancePath:instancePath+
"/templates/from",schemaPath:"#/definitions/templates/properties/from/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err36]:vErrors.push(err36),
errors++}}if(data21.system!==void 0&&typeof data21.system!="string"){const err37={instancePath:instancePath+"/templates/system",schemaPath:"#/definitions/templa\
tes/properties/system/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err37]:vErrors.push(err37),errors++}if(data21.instance!==void 0&&typeof data21.
instance!="string"){const err38={instancePath:instancePath+"/templates/instance",schemaPath:"#/definitions/templates/properties/instance/type",keyword:"type",params:{
type:"string"}};vErrors===null?vErrors=[err38]:vErrors.push(err38),errors++}if(data21.observation!==void 0&&typeof data21.observation!="string"){const err39={instancePath:instancePath+
"/templates/observation",schemaPath:"#/definitions/templates/properties/observation/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err39]:
vErrors.push(err39),errors++}if(data21.format_error!==void 0&&typeof data21.format_error!="string"){const err40={instancePath:instancePath+"/templates/format_er\
ror",schemaPath:"#/definitions/templates/properties/format_error/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err40]:vErrors.push(err40),
errors++}}else{const err41={instancePath:instancePath+"/templates",schemaPath:"#/definitions/templates/type",keyword:"type",params:{type:"object"}};vErrors===null?
vErrors=[err41]:vErrors.push(err41),errors++}}if(data.user!==void 0){let data27=data.user;if(data27&&typeof data27=="object"&&!Array.isArray(data27)){for(const key4 in data27)
if(!(key4==="says"||key4==="model"||key4==="prompt"||key4==="turns")){const err42={instancePath:instancePath+"/user",schemaPath:"#/properties/user/additionalPro\
perties",keyword:"additionalProperties",params:{additionalProperty:key4}};vErrors===null?vErrors=[err42]:vErrors.push(err42),errors++}if(data27.says!==void 0){let data28=data27.
says;if(Array.isArray(data28)){if(data28.length<1){const err43={instancePath:instancePath+"/user/says",schemaPath:"#/properties/user/properties/says/minItems",keyword:"\
minItems",params:{limit:1}};vErrors===null?vErrors=[err43]:vErrors.push(err43),errors++}const len1=data28.length;for(let i1=0;i1<len1;i1++)if(typeof data28[i1]!=
"string"){const err44={instancePath:instancePath+"/user/says/"+i1,schemaPath:"#/properties/user/properties/says/items/type",keyword:"type",params:{type:"string"}};
vErrors===null?vErrors=[err44]:vErrors.push(err44),errors++}}else{const err45={instancePath:instancePath+"/user/says",schemaPath:"#/properties/user/properties/s\
ays/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err45]:vErrors.push(err45),errors++}}if(data27.model!==void 0&&(validate28(data27.model,
{instancePath:instancePath+"/user/model",parentData:data27,parentDataProperty:"model",rootData})||(vErrors=vErrors===null?validate28.errors:vErrors.concat(validate28.
errors),errors=vErrors.length)),data27.prompt!==void 0&&typeof data27.prompt!="string"){const err46={instancePath:instancePath+"/user/prompt",schemaPath:"#/prop\
erties/user/properties/prompt/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err46]:vErrors.push(err46),errors++}if(data27.turns!==void 0){
let data32=data27.turns;if(!(typeof data32=="number"&&!(data32%1)&&!isNaN(data32))){const err47={instancePath:instancePath+"/user/turns",schemaPath:"#/propertie\
s/user/properties/turns/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err47]:vErrors.push(err47),errors++}if(typeof data32=="number"&&(data32<
1||isNaN(data32))){const err48={instancePath:instancePath+"/user/turns",schemaPath:"#/properties/user/properties/turns/minimum",keyword:"minimum",params:{comparison:"\
>=",limit:1}};vErrors===null?vErrors=[err48]:vErrors.push(err48),errors++}}}else{const err49={instancePath:instancePath+"/user",schemaPath:"#/properties/user/ty\
pe",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err49]:vErrors.push(err49),errors++}}if(data.env!==void 0){let data33=data.env;if(data33&&typeof data33==
"object"&&!Array.isArray(data33)){for(const key5 in data33)if(typeof data33[key5]!="string"){const err50={instancePath:instancePath+"/env/"+key5.replace(/~/g,"~\
0").replace(/\//g,"~1"),schemaPath:"#/properties/env/additionalProperties/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err50]:vErrors.push(
err50),errors++}}else{const err51={instancePath:instancePath+"/env",schemaPath:"#/properties/env/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=
[err51]:vErrors.push(err51),errors++}}if(data.args!==void 0){let data35=data.args;if(Array.isArray(data35)){const len2=data35.length;for(let i2=0;i2<len2;i2++)if(typeof data35[i2]!=
"string"){const err52={instancePath:instancePath+"/args/"+i2,schemaPath:"#/properties/args/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=
[err52]:vErrors.push(err52),errors++}}else{const err53={instancePath:instancePath+"/args",schemaPath:"#/properties/args/type",keyword:"type",params:{type:"array"}};
vErrors===null?vErrors=[err53]:vErrors.push(err53),errors++}}if(data.repository_settings!==void 0){let data37=data.repository_settings;if(typeof data37!="string"){
const err54={instancePath:instancePath+"/repository_settings",schemaPath:"#/properties/repository_settings/type",keyword:"type",params:{type:"string"}};vErrors===
null?vErrors=[err54]:vErrors.push(err54),errors++}if(!(data37==="ignore"||data37==="allow")){const err55={instancePath:instancePath+"/repository_settings",schemaPath:"\
#/properties/repository_settings/enum",keyword:"enum",params:{allowedValues:schema43.properties.repository_settings.enum}};vErrors===null?vErrors=[err55]:vErrors.
push(err55),errors++}}if(data.tools!==void 0){let data38=data.tools;if(Array.isArray(data38)){if(data38.length<1){const err56={instancePath:instancePath+"/tools",
schemaPath:"#/properties/tools/minItems",keyword:"minItems",params:{limit:1}};vErrors===null?vErrors=[err56]:vErrors.push(err56),errors++}const len3=data38.length;
for(let i3=0;i3<len3;i3++){let data39=data38[i3];if(typeof data39=="string"){if(!pattern82.test(data39)){const err57={instancePath:instancePath+"/tools/"+i3,schemaPath:"\
#/properties/tools/items/pattern",keyword:"pattern",params:{pattern:"^[A-Za-z0-9_.:-]+$"}};vErrors===null?vErrors=[err57]:vErrors.push(err57),errors++}}else{const err58={
instancePath:instancePath+"/tools/"+i3,schemaPath:"#/properties/tools/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err58]:vErrors.
push(err58),errors++}}}else{const err59={instancePath:instancePath+"/tools",schemaPath:"#/properties/tools/type",keyword:"type",params:{type:"array"}};vErrors===
null?vErrors=[err59]:vErrors.push(err59),errors++}}if(data.program!==void 0){let data40=data.program;if(data40&&typeof data40=="object"&&!Array.isArray(data40)){
if(data40.protocol===void 0){const err60={instancePath:instancePath+"/program",schemaPath:"#/definitions/agentProgram/required",keyword:"required",params:{missingProperty:"\
protocol"}};vErrors===null?vErrors=[err60]:vErrors.push(err60),errors++}if(data40.run===void 0){const err61={instancePath:instancePath+"/program",schemaPath:"#/\
definitions/agentProgram/required",keyword:"required",params:{missingProperty:"run"}};vErrors===null?vErrors=[err61]:vErrors.push(err61),errors++}for(const key6 in data40)
if(!(key6==="protocol"||key6==="run"||key6==="install"||key6==="files"||key6==="env"||key6==="leaves"||key6==="obeys")){const err62={instancePath:instancePath+"\
/program",schemaPath:"#/definitions/agentProgram/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key6}};vErrors===null?vErrors=[
err62]:vErrors.push(err62),errors++}if(data40.protocol!==void 0){let data41=data40.protocol;if(typeof data41!="string"){const err63={instancePath:instancePath+"\
/program/protocol",schemaPath:"#/definitions/agentProgram/properties/protocol/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err63]:vErrors.
push(err63),errors++}if(!(data41==="openai-chat"||data41==="openai-responses"||data41==="anthropic-messages"||data41==="google-generate")){const err64={instancePath:instancePath+
"/program/protocol",schemaPath:"#/definitions/agentProgram/properties/protocol/enum",keyword:"enum",params:{allowedValues:schema56.properties.protocol.enum}};vErrors===
null?vErrors=[err64]:vErrors.push(err64),errors++}}if(data40.run!==void 0){let data42=data40.run;if(typeof data42=="string"){if(!pattern2.test(data42)){const err65={
instancePath:instancePath+"/program/run",schemaPath:"#/definitions/agentProgram/properties/run/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?
vErrors=[err65]:vErrors.push(err65),errors++}}else{const err66={instancePath:instancePath+"/program/run",schemaPath:"#/definitions/agentProgram/properties/run/t\
ype",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err66]:vErrors.push(err66),errors++}}if(data40.install!==void 0){let data43=data40.install;if(data43&&
typeof data43=="object"&&!Array.isArray(data43)){for(const key7 in data43)if(!(key7==="source"||key7==="npm"||key7==="node"||key7==="pip"||key7==="python"||key7===
"platforms"||key7==="check")){const err67={instancePath:instancePath+"/program/install",schemaPath:"#/definitions/agentProgram/properties/install/additionalProp\
erties",keyword:"additionalProperties",params:{additionalProperty:key7}};vErrors===null?vErrors=[err67]:vErrors.push(err67),errors++}if(data43.source!==void 0){
let data44=data43.source;if(typeof data44=="string"){if(!pattern2.test(data44)){const err68={instancePath:instancePath+"/program/install/source",schemaPath:"#/d\
efinitions/agentProgram/properties/install/properties/source/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err68]:vErrors.push(err68),
errors++}}else{const err69={instancePath:instancePath+"/program/install/source",schemaPath:"#/definitions/agentProgram/properties/install/properties/source/type",
keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err69]:vErrors.push(err69),errors++}}if(data43.npm!==void 0){let data45=data43.npm;if(Array.isArray(
data45)){const len4=data45.length;for(let i4=0;i4<len4;i4++){let data46=data45[i4];if(typeof data46=="string"){if(!pattern2.test(data46)){const err70={instancePath:instancePath+
"/program/install/npm/"+i4,schemaPath:"#/definitions/agentProgram/properties/install/properties/npm/items/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===
null?vErrors=[err70]:vErrors.push(err70),errors++}}else{const err71={instancePath:instancePath+"/program/install/npm/"+i4,schemaPath:"#/definitions/agentProgram\
/properties/install/properties/npm/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err71]:vErrors.push(err71),errors++}}}else{const err72={
instancePath:instancePath+"/program/install/npm",schemaPath:"#/definitions/agentProgram/properties/install/properties/npm/type",keyword:"type",params:{type:"arr\
ay"}};vErrors===null?vErrors=[err72]:vErrors.push(err72),errors++}}if(data43.node!==void 0){let data47=data43.node;if(typeof data47=="string"){if(!pattern86.test(
data47)){const err73={instancePath:instancePath+"/program/install/node",schemaPath:"#/definitions/agentProgram/properties/install/properties/node/pattern",keyword:"\
pattern",params:{pattern:"^\\d+\\.\\d+\\.\\d+$"}};vErrors===null?vErrors=[err73]:vErrors.push(err73),errors++}}else{const err74={instancePath:instancePath+"/pro\
gram/install/node",schemaPath:"#/definitions/agentProgram/properties/install/properties/node/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=
[err74]:vErrors.push(err74),errors++}}if(data43.pip!==void 0){let data48=data43.pip;if(Array.isArray(data48)){const len5=data48.length;for(let i5=0;i5<len5;i5++){
let data49=data48[i5];if(typeof data49=="string"){if(!pattern2.test(data49)){const err75={instancePath:instancePath+"/program/install/pip/"+i5,schemaPath:"#/def\
initions/agentProgram/properties/install/properties/pip/items/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err75]:vErrors.push(err75),
errors++}}else{const err76={instancePath:instancePath+"/program/install/pip/"+i5,schemaPath:"#/definitions/agentProgram/properties/install/properties/pip/items/\
type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err76]:vErrors.push(err76),errors++}}}else{const err77={instancePath:instancePath+"/program\
/install/pip",schemaPath:"#/definitions/agentProgram/properties/install/properties/pip/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err77]:
vErrors.push(err77),errors++}}if(data43.python!==void 0){let data50=data43.python;if(typeof data50=="string"){if(!pattern88.test(data50)){const err78={instancePath:instancePath+
"/program/install/python",schemaPath:"#/definitions/agentProgram/properties/install/properties/python/pattern",keyword:"pattern",params:{pattern:"^\\d+\\.\\d+$"}};
vErrors===null?vErrors=[err78]:vErrors.push(err78),errors++}}else{const err79={instancePath:instancePath+"/program/install/python",schemaPath:"#/definitions/age\
ntProgram/properties/install/properties/python/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err79]:vErrors.push(err79),errors++}}if(data43.
platforms!==void 0){let data51=data43.platforms;if(Array.isArray(data51)){const len6=data51.length;for(let i6=0;i6<len6;i6++){let data52=data51[i6];if(typeof data52==
"string"){if(!pattern89.test(data52)){const err80={instancePath:instancePath+"/program/install/platforms/"+i6,schemaPath:"#/definitions/agentProgram/properties/\
install/properties/platforms/items/pattern",keyword:"pattern",params:{pattern:"^linux-[a-z0-9]+$"}};vErrors===null?vErrors=[err80]:vErrors.push(err80),errors++}}else{
const err81={instancePath:instancePath+"/program/install/platforms/"+i6,schemaPath:"#/definitions/agentProgram/properties/install/properties/platforms/items/typ\
e",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err81]:vErrors.push(err81),errors++}}}else{const err82={instancePath:instancePath+"/program/in\
stall/platforms",schemaPath:"#/definitions/agentProgram/properties/install/properties/platforms/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=
[err82]:vErrors.push(err82),errors++}}if(data43.check!==void 0){let data53=data43.check;if(typeof data53=="string"){if(!pattern2.test(data53)){const err83={instancePath:instancePath+
"/program/install/check",schemaPath:"#/definitions/agentProgram/properties/install/properties/check/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===
null?vErrors=[err83]:vErrors.push(err83),errors++}}else{const err84={instancePath:instancePath+"/program/install/check",schemaPath:"#/definitions/agentProgram/p\
roperties/install/properties/check/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err84]:vErrors.push(err84),errors++}}}else{const err85={
instancePath:instancePath+"/program/install",schemaPath:"#/definitions/agentProgram/properties/install/type",keyword:"type",params:{type:"object"}};vErrors===null?
vErrors=[err85]:vErrors.push(err85),errors++}}if(data40.files!==void 0){let data54=data40.files;if(data54&&typeof data54=="object"&&!Array.isArray(data54)){for(const key8 in data54)
if(typeof data54[key8]!="string"){const err86={instancePath:instancePath+"/program/files/"+key8.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/definitions\
/agentProgram/properties/files/additionalProperties/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err86]:vErrors.push(err86),errors++}}else{
const err87={instancePath:instancePath+"/program/files",schemaPath:"#/definitions/agentProgram/properties/files/type",keyword:"type",params:{type:"object"}};vErrors===
null?vErrors=[err87]:vErrors.push(err87),errors++}}if(data40.env!==void 0){let data56=data40.env;if(data56&&typeof data56=="object"&&!Array.isArray(data56)){for(const key9 in data56)
if(typeof data56[key9]!="string"){const err88={instancePath:instancePath+"/program/env/"+key9.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/definitions/a\
gentProgram/properties/env/additionalProperties/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err88]:vErrors.push(err88),errors++}}else{const err89={
instancePath:instancePath+"/program/env",schemaPath:"#/definitions/agentProgram/properties/env/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=
[err89]:vErrors.push(err89),errors++}}if(data40.leaves!==void 0){let data58=data40.leaves;if(Array.isArray(data58)){const len7=data58.length;for(let i7=0;i7<len7;i7++){
let data59=data58[i7];if(typeof data59=="string"){if(!pattern2.test(data59)){const err90={instancePath:instancePath+"/program/leaves/"+i7,schemaPath:"#/definiti\
ons/agentProgram/properties/leaves/items/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err90]:vErrors.push(err90),errors++}}else{const err91={
instancePath:instancePath+"/program/leaves/"+i7,schemaPath:"#/definitions/agentProgram/properties/leaves/items/type",keyword:"type",params:{type:"string"}};vErrors===
null?vErrors=[err91]:vErrors.push(err91),errors++}}}else{const err92={instancePath:instancePath+"/program/leaves",schemaPath:"#/definitions/agentProgram/propert\
ies/leaves/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err92]:vErrors.push(err92),errors++}}if(data40.obeys!==void 0){let data60=data40.
obeys;if(Array.isArray(data60)){const len8=data60.length;for(let i8=0;i8<len8;i8++){let data61=data60[i8];if(typeof data61=="string"){if(!pattern2.test(data61)){
const err93={instancePath:instancePath+"/program/obeys/"+i8,schemaPath:"#/definitions/agentProgram/properties/obeys/items/pattern",keyword:"pattern",params:{pattern:"\
\\S"}};vErrors===null?vErrors=[err93]:vErrors.push(err93),errors++}}else{const err94={instancePath:instancePath+"/program/obeys/"+i8,schemaPath:"#/definitions/a\
gentProgram/properties/obeys/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err94]:vErrors.push(err94),errors++}}}else{const err95={
instancePath:instancePath+"/program/obeys",schemaPath:"#/definitions/agentProgram/properties/obeys/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=
[err95]:vErrors.push(err95),errors++}}}else{const err96={instancePath:instancePath+"/program",schemaPath:"#/definitions/agentProgram/type",keyword:"type",params:{
type:"object"}};vErrors===null?vErrors=[err96]:vErrors.push(err96),errors++}}if(data.version!==void 0){let data62=data.version;if(typeof data62=="string"){if(!pattern93.
test(data62)){const err97={instancePath:instancePath+"/version",schemaPath:"#/properties/version/pattern",keyword:"pattern",params:{pattern:"^[0-9A-Za-z.+_-]+$"}};
vErrors===null?vErrors=[err97]:vErrors.push(err97),errors++}}else{const err98={instancePath:instancePath+"/version",schemaPath:"#/properties/version/type",keyword:"\
type",params:{type:"string"}};vErrors===null?vErrors=[err98]:vErrors.push(err98),errors++}}if(data.as_of!==void 0){let data63=data.as_of;if(typeof data63=="stri\
ng"){if(!pattern94.test(data63)){const err99={instancePath:instancePath+"/as_of",schemaPath:"#/properties/as_of/pattern",keyword:"pattern",params:{pattern:"^\\d{\
4}-\\d{2}-\\d{2}$"}};vErrors===null?vErrors=[err99]:vErrors.push(err99),errors++}}else{const err100={instancePath:instancePath+"/as_of",schemaPath:"#/properties\
/as_of/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err100]:vErrors.push(err100),errors++}}if(data.source!==void 0){let data64=data.source;
if(typeof data64=="string"){if(!pattern2.test(data64)){const err101={instancePath:instancePath+"/source",schemaPath:"#/properties/source/pattern",keyword:"patte\
rn",params:{pattern:"\\S"}};vErrors===null?vErrors=[err101]:vErrors.push(err101),errors++}}else{const err102={instancePath:instancePath+"/source",schemaPath:"#/\
properties/source/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err102]:vErrors.push(err102),errors++}}}else{const err103={instancePath,schemaPath:"\
#/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err103]:vErrors.push(err103),errors++}return validate27.errors=vErrors,errors===0}const schema57={
type:"object",additionalProperties:!1,properties:{preset:{type:"string",enum:["strict","swebench-5","swebench-4","swe-smith","swe-gym","minisandbox-compat","ret\
urncode"]},timeout:{allOf:[{$ref:"#/definitions/duration"}]},deployment:{type:"string"},max_patch:{allOf:[{$ref:"#/definitions/size"}]},protect:{type:"array",items:{
$ref:"#/definitions/glob"}},repeats:{type:"integer",minimum:0,maximum:100},suspicion:{type:"string",enum:["mask","note","off"]}}};function validate37(data,{instancePath="",
parentData,parentDataProperty,rootData=data}={}){let vErrors=null,errors=0;if(data&&typeof data=="object"&&!Array.isArray(data)){for(const key0 in data)if(!(key0===
"preset"||key0==="timeout"||key0==="deployment"||key0==="max_patch"||key0==="protect"||key0==="repeats"||key0==="suspicion")){const err0={instancePath,schemaPath:"\
#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key0}};vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}if(data.preset!==
void 0){let data0=data.preset;if(typeof data0!="string"){const err1={instancePath:instancePath+"/preset",schemaPath:"#/properties/preset/type",keyword:"type",params:{
type:"string"}};vErrors===null?vErrors=[err1]:vErrors.push(err1),errors++}if(!(data0==="strict"||data0==="swebench-5"||data0==="swebench-4"||data0==="swe-smith"||
data0==="swe-gym"||data0==="minisandbox-compat"||data0==="returncode")){const err2={instancePath:instancePath+"/preset",schemaPath:"#/properties/preset/enum",keyword:"\
enum",params:{allowedValues:schema57.properties.preset.enum}};vErrors===null?vErrors=[err2]:vErrors.push(err2),errors++}}if(data.timeout!==void 0){let data1=data.
timeout;if(typeof data1!="string"&&typeof data1!="number"){const err3={instancePath:instancePath+"/timeout",schemaPath:"#/definitions/duration/type",keyword:"ty\
pe",params:{type:schema29.type}};vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}if(typeof data1=="number"&&(data1<=0||isNaN(data1))){const err4={instancePath:instancePath+
"/timeout",schemaPath:"#/definitions/duration/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err4]:vErrors.
push(err4),errors++}if(typeof data1=="string"&&!pattern34.test(data1)){const err5={instancePath:instancePath+"/timeout",schemaPath:"#/definitions/duration/patte\
rn",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===null?vErrors=[err5]:vErrors.push(err5),errors++}}if(data.deployment!==void 0&&
typeof data.deployment!="string"){const err6={instancePath:instancePath+"/deployment",schemaPath:"#/properties/deployment/type",keyword:"type",params:{type:"str\
ing"}};vErrors===null?vErrors=[err6]:vErrors.push(err6),errors++}if(data.max_patch!==void 0){let data3=data.max_patch;if(typeof data3!="string"&&!(typeof data3==
"number"&&!(data3%1)&&!isNaN(data3))){const err7={instancePath:instancePath+"/max_patch",schemaPath:"#/definitions/size/type",keyword:"type",params:{type:schema37.
type}};vErrors===null?vErrors=[err7]:vErrors.push(err7),errors++}if(typeof data3=="number"&&(data3<=0||isNaN(data3))){const err8={instancePath:instancePath+"/ma\
x_patch",schemaPath:"#/definitions/size/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err8]:vErrors.push(
err8),errors++}if(typeof data3=="string"&&!pattern42.test(data3)){const err9={instancePath:instancePath+"/max_patch",schemaPath:"#/definitions/size/pattern",keyword:"\
pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?([KMGT]i?)?B?$"}};vErrors===null?vErrors=[err9]:vErrors.push(err9),errors++}}if(data.protect!==void 0){let data4=data.
protect;if(Array.isArray(data4)){const len0=data4.length;for(let i0=0;i0<len0;i0++){let data5=data4[i0];if(typeof data5=="string"){if(!pattern2.test(data5)){const err10={
instancePath:instancePath+"/protect/"+i0,schemaPath:"#/definitions/glob/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err10]:vErrors.
push(err10),errors++}}else{const err11={instancePath:instancePath+"/protect/"+i0,schemaPath:"#/definitions/glob/type",keyword:"type",params:{type:"string"}};vErrors===
null?vErrors=[err11]:vErrors.push(err11),errors++}}}else{const err12={instancePath:instancePath+"/protect",schemaPath:"#/properties/protect/type",keyword:"type",
params:{type:"array"}};vErrors===null?vErrors=[err12]:vErrors.push(err12),errors++}}if(data.repeats!==void 0){let data6=data.repeats;if(!(typeof data6=="number"&&
!(data6%1)&&!isNaN(data6))){const err13={instancePath:instancePath+"/repeats",schemaPath:"#/properties/repeats/type",keyword:"type",params:{type:"integer"}};vErrors===
null?vErrors=[err13]:vErrors.push(err13),errors++}if(typeof data6=="number"){if(data6>100||isNaN(data6)){const err14={instancePath:instancePath+"/repeats",schemaPath:"\
#/properties/repeats/maximum",keyword:"maximum",params:{comparison:"<=",limit:100}};vErrors===null?vErrors=[err14]:vErrors.push(err14),errors++}if(data6<0||isNaN(
data6)){const err15={instancePath:instancePath+"/repeats",schemaPath:"#/properties/repeats/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===
null?vErrors=[err15]:vErrors.push(err15),errors++}}}if(data.suspicion!==void 0){let data7=data.suspicion;if(typeof data7!="string"){const err16={instancePath:instancePath+
"/suspicion",schemaPath:"#/properties/suspicion/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err16]:vErrors.push(err16),errors++}if(!(data7===
"mask"||data7==="note"||data7==="off")){const err17={instancePath:instancePath+"/suspicion",schemaPath:"#/properties/suspicion/enum",keyword:"enum",params:{allowedValues:schema57.
properties.suspicion.enum}};vErrors===null?vErrors=[err17]:vErrors.push(err17),errors++}}}else{const err18={instancePath,schemaPath:"#/type",keyword:"type",params:{
type:"object"}};vErrors===null?vErrors=[err18]:vErrors.push(err18),errors++}return validate37.errors=vErrors,errors===0}const schema61={type:"object",additionalProperties:!1,
properties:{sft:{$ref:"#/definitions/sft"},rl:{$ref:"#/definitions/rl"}}},schema62={type:"object",additionalProperties:!1,properties:{type:{type:"string",enum:[
"none","torchtune","trl","skyrl","slime","verl","command"]},golden:{$ref:"#/definitions/golden"},balance:{$ref:"#/definitions/balance"},decontaminate:{type:"boo\
lean"},style:{type:"string",enum:["xml","ticks","tools"]},samples:{type:"string",enum:["trajectory","step"]},train:{type:"string",enum:["main","agents","all"]},
data:{type:"object",additionalProperties:!1,required:["source"],properties:{source:{type:"string",pattern:"\\S"},revision:{type:"string",pattern:"\\S"},split:{type:"\
string",pattern:"\\S"},column:{type:"string",pattern:"\\S"}}},model:{$ref:"#/definitions/sftModel"},deployment:{type:"string"},gpus:{type:"integer",minimum:0},nodes:{
type:"integer",minimum:1},command:{type:"string",pattern:"\\S"},env:{type:"object",propertyNames:{type:"string",pattern:"^[A-Za-z_][A-Za-z0-9_]*$"},additionalProperties:{
type:"string"}},output:{type:"string",enum:["fresh","fixed"]},output_folder:{type:"string",pattern:"\\S"},keep:{type:["string","integer"],pattern:"^(all|last|be\
st)$",minimum:1},metrics:{$ref:"#/definitions/trainerMetrics"},image:{$ref:"#/definitions/trainerImage"},timeout:{allOf:[{$ref:"#/definitions/duration"}]},epochs:{
type:"integer",minimum:1},learning_rate:{type:"number",exclusiveMinimum:0},weight_decay:{type:"number",minimum:0},warmup_steps:{type:"integer",minimum:0},batch_size:{
type:"integer",minimum:1},accumulation:{type:"integer",minimum:1},max_length:{type:"integer",minimum:1},seed:{type:"integer",minimum:0},max_steps:{type:"integer",
minimum:1},overrides:{type:"object",additionalProperties:!0},dtype:{type:"string",enum:["bf16","fp32"]},lora:{type:"object",additionalProperties:!1,properties:{
rank:{type:"integer",minimum:1},alpha:{type:"number",exclusiveMinimum:0},dropout:{type:"number",minimum:0,maximum:1}}},recipe:{type:"string",pattern:"\\S"},save_every:{
type:"integer",minimum:1},folder:{type:"string",pattern:"\\S"},commit:{type:"string",pattern:"^[0-9a-f]{7,40}$"}}},schema63={type:"object",additionalProperties:!1,
properties:{exit:{type:"array",items:{type:"string",enum:["submitted","limits_exceeded","time_exceeded","repeated_format_error","context_exceeded","truncated"]}},
reward:{type:"number",minimum:0,maximum:1},leaks:{type:"string",enum:["drop","keep"]},max_steps:{type:"integer",minimum:1}}},schema64={type:"object",additionalProperties:!1,
properties:{policy:{type:"string",enum:["caps","minisandbox-compat"]},per_instance:{type:"integer",minimum:1},total:{type:"integer",minimum:1},seed:{type:"integ\
er",minimum:0}}},schema65={type:"object",additionalProperties:!1,properties:{id:{type:"string",pattern:"^[A-Za-z0-9][\\w.-]*/[\\w.-]+$"},revision:{type:"string",
pattern:"\\S"},path:{type:"string",pattern:"\\S"}}},schema66={type:"object",additionalProperties:!1,properties:{wandb:{type:"object",additionalProperties:!1,required:[
"project"],properties:{project:{type:"string",pattern:"\\S"},name:{type:"string",pattern:"\\S"},api_key:{type:"string",pattern:"\\S"},mode:{type:"string",enum:[
"online","offline"]}}},tensorboard:{type:"boolean"}}},pattern109=new RegExp("^(all|last|best)$","u"),pattern120=new RegExp("^[0-9a-f]{7,40}$","u"),schema67={type:"\
object",additionalProperties:!1,required:["name"],properties:{name:{type:"string",pattern:"\\S"},shm:{allOf:[{$ref:"#/definitions/size"}]},ipc:{type:"string",enum:[
"private","host"]},network:{type:"string",enum:["bridge","host"]},ulimits:{type:"object",additionalProperties:{type:"string",pattern:"^-?[0-9]+(:-?[0-9]+)?$"}},
mounts:{type:"array",items:{type:"string",pattern:"^/[^:]*(:/[^:]*)?(:ro)?$"}},privileged:{type:"boolean"},engine:{type:"boolean"}}},pattern115=new RegExp("^-?[\
0-9]+(:-?[0-9]+)?$","u"),pattern116=new RegExp("^/[^:]*(:/[^:]*)?(:ro)?$","u");function validate41(data,{instancePath="",parentData,parentDataProperty,rootData=data}={}){
let vErrors=null,errors=0;if(data&&typeof data=="object"&&!Array.isArray(data)){if(data.name===void 0){const err0={instancePath,schemaPath:"#/required",keyword:"\
required",params:{missingProperty:"name"}};vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}for(const key0 in data)if(!(key0==="name"||key0==="shm"||key0===
"ipc"||key0==="network"||key0==="ulimits"||key0==="mounts"||key0==="privileged"||key0==="engine")){const err1={instancePath,schemaPath:"#/additionalProperties",
keyword:"additionalProperties",params:{additionalProperty:key0}};vErrors===null?vErrors=[err1]:vErrors.push(err1),errors++}if(data.name!==void 0){let data0=data.
name;if(typeof data0=="string"){if(!pattern2.test(data0)){const err2={instancePath:instancePath+"/name",schemaPath:"#/properties/name/pattern",keyword:"pattern",
params:{pattern:"\\S"}};vErrors===null?vErrors=[err2]:vErrors.push(err2),errors++}}else{const err3={instancePath:instancePath+"/name",schemaPath:"#/properties/n\
ame/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}}if(data.shm!==void 0){let data1=data.shm;if(typeof data1!=
"string"&&!(typeof data1=="number"&&!(data1%1)&&!isNaN(data1))){const err4={instancePath:instancePath+"/shm",schemaPath:"#/definitions/size/type",keyword:"type",
params:{type:schema37.type}};vErrors===null?vErrors=[err4]:vErrors.push(err4),errors++}if(typeof data1=="number"&&(data1<=0||isNaN(data1))){const err5={instancePath:instancePath+
"/shm",schemaPath:"#/definitions/size/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err5]:vErrors.push(err5),
errors++}if(typeof data1=="string"&&!pattern42.test(data1)){const err6={instancePath:instancePath+"/shm",schemaPath:"#/definitions/size/pattern",keyword:"patter\
n",params:{pattern:"^[0-9]+(\\.[0-9]+)?([KMGT]i?)?B?$"}};vErrors===null?vErrors=[err6]:vErrors.push(err6),errors++}}if(data.ipc!==void 0){let data2=data.ipc;if(typeof data2!=
"string"){const err7={instancePath:instancePath+"/ipc",schemaPath:"#/properties/ipc/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err7]:vErrors.
push(err7),errors++}if(!(data2==="private"||data2==="host")){const err8={instancePath:instancePath+"/ipc",schemaPath:"#/properties/ipc/enum",keyword:"enum",params:{
allowedValues:schema67.properties.ipc.enum}};vErrors===null?vErrors=[err8]:vErrors.push(err8),errors++}}if(data.network!==void 0){let data3=data.network;if(typeof data3!=
"string"){const err9={instancePath:instancePath+"/network",schemaPath:"#/properties/network/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=
[err9]:vErrors.push(err9),errors++}if(!(data3==="bridge"||data3==="host")){const err10={instancePath:instancePath+"/network",schemaPath:"#/properties/network/en\
um",keyword:"enum",params:{allowedValues:schema67.properties.network.enum}};vErrors===null?vErrors=[err10]:vErrors.push(err10),errors++}}if(data.ulimits!==void 0){
let data4=data.ulimits;if(data4&&typeof data4=="object"&&!Array.isArray(data4))for(const key1 in data4){let data5=data4[key1];if(typeof data5=="string"){if(!pattern115.
test(data5)){const err11={instancePath:instancePath+"/ulimits/"+key1.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/ulimits/additionalPropertie\
s/pattern",keyword:"pattern",params:{pattern:"^-?[0-9]+(:-?[0-9]+)?$"}};vErrors===null?vErrors=[err11]:vErrors.push(err11),errors++}}else{const err12={instancePath:instancePath+
"/ulimits/"+key1.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/ulimits/additionalProperties/type",keyword:"type",params:{type:"string"}};vErrors===
null?vErrors=[err12]:vErrors.push(err12),errors++}}else{const err13={instancePath:instancePath+"/ulimits",schemaPath:"#/properties/ulimits/type",keyword:"type",
params:{type:"object"}};vErrors===null?vErrors=[err13]:vErrors.push(err13),errors++}}if(data.mounts!==void 0){let data6=data.mounts;if(Array.isArray(data6)){const len0=data6.
length;for(let i0=0;i0<len0;i0++){let data7=data6[i0];if(typeof data7=="string"){if(!pattern116.test(data7)){const err14={instancePath:instancePath+"/mounts/"+i0,
schemaPath:"#/properties/mounts/items/pattern",keyword:"pattern",params:{pattern:"^/[^:]*(:/[^:]*)?(:ro)?$"}};vErrors===null?vErrors=[err14]:vErrors.push(err14),
errors++}}else{const err15={instancePath:instancePath+"/mounts/"+i0,schemaPath:"#/properties/mounts/items/type",keyword:"type",params:{type:"string"}};vErrors===
null?vErrors=[err15]:vErrors.push(err15),errors++}}}else{const err16={instancePath:instancePath+"/mounts",schemaPath:"#/properties/mounts/type",keyword:"type",params:{
type:"array"}};vErrors===null?vErrors=[err16]:vErrors.push(err16),errors++}}if(data.privileged!==void 0&&typeof data.privileged!="boolean"){const err17={instancePath:instancePath+
"/privileged",schemaPath:"#/properties/privileged/type",keyword:"type",params:{type:"boolean"}};vErrors===null?vErrors=[err17]:vErrors.push(err17),errors++}if(data.
engine!==void 0&&typeof data.engine!="boolean"){const err18={instancePath:instancePath+"/engine",schemaPath:"#/properties/engine/type",keyword:"type",params:{type:"\
boolean"}};vErrors===null?vErrors=[err18]:vErrors.push(err18),errors++}}else{const err19={instancePath,schemaPath:"#/type",keyword:"type",params:{type:"object"}};
vErrors===null?vErrors=[err19]:vErrors.push(err19),errors++}return validate41.errors=vErrors,errors===0}function validate40(data,{instancePath="",parentData,parentDataProperty,
rootData=data}={}){let vErrors=null,errors=0;if(data&&typeof data=="object"&&!Array.isArray(data)){for(const key0 in data)if(!func2.call(schema62.properties,key0)){
const err0={instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key0}};vErrors===null?vErrors=[err0]:vErrors.
push(err0),errors++}if(data.type!==void 0){let data0=data.type;if(typeof data0!="string"){const err1={instancePath:instancePath+"/type",schemaPath:"#/properties\
/type/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err1]:vErrors.push(err1),errors++}if(!(data0==="none"||data0==="torchtune"||data0==="\
trl"||data0==="skyrl"||data0==="slime"||data0==="verl"||data0==="command")){const err2={instancePath:instancePath+"/type",schemaPath:"#/properties/type/enum",keyword:"\
enum",params:{allowedValues:schema62.properties.type.enum}};vErrors===null?vErrors=[err2]:vErrors.push(err2),errors++}}if(data.golden!==void 0){let data1=data.golden;
if(data1&&typeof data1=="object"&&!Array.isArray(data1)){for(const key1 in data1)if(!(key1==="exit"||key1==="reward"||key1==="leaks"||key1==="max_steps")){const err3={
instancePath:instancePath+"/golden",schemaPath:"#/definitions/golden/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key1}};vErrors===
null?vErrors=[err3]:vErrors.push(err3),errors++}if(data1.exit!==void 0){let data2=data1.exit;if(Array.isArray(data2)){const len0=data2.length;for(let i0=0;i0<len0;i0++){
let data3=data2[i0];if(typeof data3!="string"){const err4={instancePath:instancePath+"/golden/exit/"+i0,schemaPath:"#/definitions/golden/properties/exit/items/t\
ype",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err4]:vErrors.push(err4),errors++}if(!(data3==="submitted"||data3==="limits_exceeded"||data3===
"time_exceeded"||data3==="repeated_format_error"||data3==="context_exceeded"||data3==="truncated")){const err5={instancePath:instancePath+"/golden/exit/"+i0,schemaPath:"\
#/definitions/golden/properties/exit/items/enum",keyword:"enum",params:{allowedValues:schema63.properties.exit.items.enum}};vErrors===null?vErrors=[err5]:vErrors.
push(err5),errors++}}}else{const err6={instancePath:instancePath+"/golden/exit",schemaPath:"#/definitions/golden/properties/exit/type",keyword:"type",params:{type:"\
array"}};vErrors===null?vErrors=[err6]:vErrors.push(err6),errors++}}if(data1.reward!==void 0){let data4=data1.reward;if(typeof data4=="number"){if(data4>1||isNaN(
data4)){const err7={instancePath:instancePath+"/golden/reward",schemaPath:"#/definitions/golden/properties/reward/maximum",keyword:"maximum",params:{comparison:"\
<=",limit:1}};vErrors===null?vErrors=[err7]:vErrors.push(err7),errors++}if(data4<0||isNaN(data4)){const err8={instancePath:instancePath+"/golden/reward",schemaPath:"\
#/definitions/golden/properties/reward/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err8]:vErrors.push(err8),errors++}}else{
const err9={instancePath:instancePath+"/golden/reward",schemaPath:"#/definitions/golden/properties/reward/type",keyword:"type",params:{type:"number"}};vErrors===
null?vErrors=[err9]:vErrors.push(err9),errors++}}if(data1.leaks!==void 0){let data5=data1.leaks;if(typeof data5!="string"){const err10={instancePath:instancePath+
"/golden/leaks",schemaPath:"#/definitions/golden/properties/leaks/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err10]:vErrors.push(err10),
errors++}if(!(data5==="drop"||data5==="keep")){const err11={instancePath:instancePath+"/golden/leaks",schemaPath:"#/definitions/golden/properties/leaks/enum",keyword:"\
enum",params:{allowedValues:schema63.properties.leaks.enum}};vErrors===null?vErrors=[err11]:vErrors.push(err11),errors++}}if(data1.max_steps!==void 0){let data6=data1.
max_steps;if(!(typeof data6=="number"&&!(data6%1)&&!isNaN(data6))){const err12={instancePath:instancePath+"/golden/max_steps",schemaPath:"#/definitions/golden/p\
roperties/max_steps/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err12]:vErrors.push(err12),errors++}if(typeof data6=="number"&&(data6<
1||isNaN(data6))){const err13={instancePath:instancePath+"/golden/max_steps",schemaPath:"#/definitions/golden/properties/max_steps/minimum",keyword:"minimum",params:{
comparison:">=",limit:1}};vErrors===null?vErrors=[err13]:vErrors.push(err13),errors++}}}else{const err14={instancePath:instancePath+"/golden",schemaPath:"#/defi\
nitions/golden/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err14]:vErrors.push(err14),errors++}}if(data.balance!==void 0){let data7=data.
balance;if(data7&&typeof data7=="object"&&!Array.isArray(data7)){for(const key2 in data7)if(!(key2==="policy"||key2==="per_instance"||key2==="total"||key2==="se\
ed")){const err15={instancePath:instancePath+"/balance",schemaPath:"#/definitions/balance/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key2}};
vErrors===null?vErrors=[err15]:vErrors.push(err15),errors++}if(data7.policy!==void 0){let data8=data7.policy;if(typeof data8!="string"){const err16={instancePath:instancePath+
"/balance/policy",schemaPath:"#/definitions/balance/properties/policy/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err16]:vErrors.push(err16),
errors++}if(!(data8==="caps"||data8==="minisandbox-compat")){const err17={instancePath:instancePath+"/balance/policy",schemaPath:"#/definitions/balance/properti\
es/policy/enum",keyword:"enum",params:{allowedValues:schema64.properties.policy.enum}};vErrors===null?vErrors=[err17]:vErrors.push(err17),errors++}}if(data7.per_instance!==
void 0){let data9=data7.per_instance;if(!(typeof data9=="number"&&!(data9%1)&&!isNaN(data9))){const err18={instancePath:instancePath+"/balance/per_instance",schemaPath:"\
#/definitions/balance/properties/per_instance/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err18]:vErrors.push(err18),errors++}if(typeof data9==
"number"&&(data9<1||isNaN(data9))){const err19={instancePath:instancePath+"/balance/per_instance",schemaPath:"#/definitions/balance/properties/per_instance/mini\
mum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err19]:vErrors.push(err19),errors++}}if(data7.total!==void 0){let data10=data7.
total;if(!(typeof data10=="number"&&!(data10%1)&&!isNaN(data10))){const err20={instancePath:instancePath+"/balance/total",schemaPath:"#/definitions/balance/prop\
erties/total/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err20]:vErrors.push(err20),errors++}if(typeof data10=="number"&&(data10<1||isNaN(
data10))){const err21={instancePath:instancePath+"/balance/total",schemaPath:"#/definitions/balance/properties/total/minimum",keyword:"minimum",params:{comparison:"\
>=",limit:1}};vErrors===null?vErrors=[err21]:vErrors.push(err21),errors++}}if(data7.seed!==void 0){let data11=data7.seed;if(!(typeof data11=="number"&&!(data11%
1)&&!isNaN(data11))){const err22={instancePath:instancePath+"/balance/seed",schemaPath:"#/definitions/balance/properties/seed/type",keyword:"type",params:{type:"\
integer"}};vErrors===null?vErrors=[err22]:vErrors.push(err22),errors++}if(typeof data11=="number"&&(data11<0||isNaN(data11))){const err23={instancePath:instancePath+
"/balance/seed",schemaPath:"#/definitions/balance/properties/seed/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err23]:vErrors.
push(err23),errors++}}}else{const err24={instancePath:instancePath+"/balance",schemaPath:"#/definitions/balance/type",keyword:"type",params:{type:"object"}};vErrors===
null?vErrors=[err24]:vErrors.push(err24),errors++}}if(data.decontaminate!==void 0&&typeof data.decontaminate!="boolean"){const err25={instancePath:instancePath+
"/decontaminate",schemaPath:"#/properties/decontaminate/type",keyword:"type",params:{type:"boolean"}};vErrors===null?vErrors=[err25]:vErrors.push(err25),errors++}
if(data.style!==void 0){let data13=data.style;if(typeof data13!="string"){const err26={instancePath:instancePath+"/style",schemaPath:"#/properties/style/type",keyword:"\
type",params:{type:"string"}};vErrors===null?vErrors=[err26]:vErrors.push(err26),errors++}if(!(data13==="xml"||data13==="ticks"||data13==="tools")){const err27={
instancePath:instancePath+"/style",schemaPath:"#/properties/style/enum",keyword:"enum",params:{allowedValues:schema62.properties.style.enum}};vErrors===null?vErrors=
[err27]:vErrors.push(err27),errors++}}if(data.samples!==void 0){let data14=data.samples;if(typeof data14!="string"){const err28={instancePath:instancePath+"/sam\
ples",schemaPath:"#/properties/samples/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err28]:vErrors.push(err28),errors++}if(!(data14==="t\
rajectory"||data14==="step")){const err29={instancePath:instancePath+"/samples",schemaPath:"#/properties/samples/enum",keyword:"enum",params:{allowedValues:schema62.
properties.samples.enum}};vErrors===null?vErrors=[err29]:vErrors.push(err29),errors++}}if(data.train!==void 0){let data15=data.train;if(typeof data15!="string"){
const err30={instancePath:instancePath+"/train",schemaPath:"#/properties/train/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err30]:vErrors.
push(err30),errors++}if(!(data15==="main"||data15==="agents"||data15==="all")){const err31={instancePath:instancePath+"/train",schemaPath:"#/properties/train/en\
um",keyword:"enum",params:{allowedValues:schema62.properties.train.enum}};vErrors===null?vErrors=[err31]:vErrors.push(err31),errors++}}if(data.data!==void 0){let data16=data.
data;if(data16&&typeof data16=="object"&&!Array.isArray(data16)){if(data16.source===void 0){const err32={instancePath:instancePath+"/data",schemaPath:"#/propert\
ies/data/required",keyword:"required",params:{missingProperty:"source"}};vErrors===null?vErrors=[err32]:vErrors.push(err32),errors++}for(const key3 in data16)if(!(key3===
"source"||key3==="revision"||key3==="split"||key3==="column")){const err33={instancePath:instancePath+"/data",schemaPath:"#/properties/data/additionalProperties",
keyword:"additionalProperties",params:{additionalProperty:key3}};vErrors===null?vErrors=[err33]:vErrors.push(err33),errors++}if(data16.source!==void 0){let data17=data16.
source;if(typeof data17=="string"){if(!pattern2.test(data17)){const err34={instancePath:instancePath+"/data/source",schemaPath:"#/properties/data/properties/sou\
rce/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err34]:vErrors.push(err34),errors++}}else{const err35={instancePath:instancePath+
"/data/source",schemaPath:"#/properties/data/properties/source/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err35]:vErrors.push(err35),errors++}}
if(data16.revision!==void 0){let data18=data16.revision;if(typeof data18=="string"){if(!pattern2.test(data18)){const err36={instancePath:instancePath+"/data/rev\
ision",schemaPath:"#/properties/data/properties/revision/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err36]:vErrors.push(err36),errors++}}else{
const err37={instancePath:instancePath+"/data/revision",schemaPath:"#/properties/data/properties/revision/type",keyword:"type",params:{type:"string"}};vErrors===
null?vErrors=[err37]:vErrors.push(err37),errors++}}if(data16.split!==void 0){let data19=data16.split;if(typeof data19=="string"){if(!pattern2.test(data19)){const err38={
instancePath:instancePath+"/data/split",schemaPath:"#/properties/data/properties/split/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=
[err38]:vErrors.push(err38),errors++}}else{const err39={instancePath:instancePath+"/data/split",schemaPath:"#/properties/data/properties/split/type",keyword:"ty\
pe",params:{type:"string"}};vErrors===null?vErrors=[err39]:vErrors.push(err39),errors++}}if(data16.column!==void 0){let data20=data16.column;if(typeof data20=="\
string"){if(!pattern2.test(data20)){const err40={instancePath:instancePath+"/data/column",schemaPath:"#/properties/data/properties/column/pattern",keyword:"patt\
ern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err40]:vErrors.push(err40),errors++}}else{const err41={instancePath:instancePath+"/data/column",schemaPath:"\
#/properties/data/properties/column/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err41]:vErrors.push(err41),errors++}}}else{const err42={
instancePath:instancePath+"/data",schemaPath:"#/properties/data/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err42]:vErrors.push(err42),
errors++}}if(data.model!==void 0){let data21=data.model;if(data21&&typeof data21=="object"&&!Array.isArray(data21)){for(const key4 in data21)if(!(key4==="id"||key4===
"revision"||key4==="path")){const err43={instancePath:instancePath+"/model",schemaPath:"#/definitions/sftModel/additionalProperties",keyword:"additionalProperti\
es",params:{additionalProperty:key4}};vErrors===null?vErrors=[err43]:vErrors.push(err43),errors++}if(data21.id!==void 0){let data22=data21.id;if(typeof data22==
"string"){if(!pattern70.test(data22)){const err44={instancePath:instancePath+"/model/id",schemaPath:"#/definitions/sftModel/properties/id/pattern",keyword:"patt\
ern",params:{pattern:"^[A-Za-z0-9][\\w.-]*/[\\w.-]+$"}};vErrors===null?vErrors=[err44]:vErrors.push(err44),errors++}}else{const err45={instancePath:instancePath+
"/model/id",schemaPath:"#/definitions/sftModel/properties/id/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err45]:vErrors.push(err45),errors++}}
if(data21.revision!==void 0){let data23=data21.revision;if(typeof data23=="string"){if(!pattern2.test(data23)){const err46={instancePath:instancePath+"/model/re\
vision",schemaPath:"#/definitions/sftModel/properties/revision/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err46]:vErrors.push(err46),
errors++}}else{const err47={instancePath:instancePath+"/model/revision",schemaPath:"#/definitions/sftModel/properties/revision/type",keyword:"type",params:{type:"\
string"}};vErrors===null?vErrors=[err47]:vErrors.push(err47),errors++}}if(data21.path!==void 0){let data24=data21.path;if(typeof data24=="string"){if(!pattern2.
test(data24)){const err48={instancePath:instancePath+"/model/path",schemaPath:"#/definitions/sftModel/properties/path/pattern",keyword:"pattern",params:{pattern:"\
\\S"}};vErrors===null?vErrors=[err48]:vErrors.push(err48),errors++}}else{const err49={instancePath:instancePath+"/model/path",schemaPath:"#/definitions/sftModel\
/properties/path/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err49]:vErrors.push(err49),errors++}}}else{const err50={instancePath:instancePath+
"/model",schemaPath:"#/definitions/sftModel/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err50]:vErrors.push(err50),errors++}}if(data.deployment!==
void 0&&typeof data.deployment!="string"){const err51={instancePath:instancePath+"/deployment",schemaPath:"#/properties/deployment/type",keyword:"type",params:{
type:"string"}};vErrors===null?vErrors=[err51]:vErrors.push(err51),errors++}if(data.gpus!==void 0){let data26=data.gpus;if(!(typeof data26=="number"&&!(data26%1)&&
!isNaN(data26))){const err52={instancePath:instancePath+"/gpus",schemaPath:"#/properties/gpus/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=
[err52]:vErrors.push(err52),errors++}if(typeof data26=="number"&&(data26<0||isNaN(data26))){const err53={instancePath:instancePath+"/gpus",schemaPath:"#/propert\
ies/gpus/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err53]:vErrors.push(err53),errors++}}if(data.nodes!==void 0){let data27=data.
nodes;if(!(typeof data27=="number"&&!(data27%1)&&!isNaN(data27))){const err54={instancePath:instancePath+"/nodes",schemaPath:"#/properties/nodes/type",keyword:"\
type",params:{type:"integer"}};vErrors===null?vErrors=[err54]:vErrors.push(err54),errors++}if(typeof data27=="number"&&(data27<1||isNaN(data27))){const err55={instancePath:instancePath+
"/nodes",schemaPath:"#/properties/nodes/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err55]:vErrors.push(err55),errors++}}
if(data.command!==void 0){let data28=data.command;if(typeof data28=="string"){if(!pattern2.test(data28)){const err56={instancePath:instancePath+"/command",schemaPath:"\
#/properties/command/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err56]:vErrors.push(err56),errors++}}else{const err57={instancePath:instancePath+
"/command",schemaPath:"#/properties/command/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err57]:vErrors.push(err57),errors++}}if(data.env!==
void 0){let data29=data.env;if(data29&&typeof data29=="object"&&!Array.isArray(data29)){for(const key5 in data29){const _errs69=errors;if(typeof key5=="string"){
if(!pattern27.test(key5)){const err58={instancePath:instancePath+"/env",schemaPath:"#/properties/env/propertyNames/pattern",keyword:"pattern",params:{pattern:"^\
[A-Za-z_][A-Za-z0-9_]*$"},propertyName:key5};vErrors===null?vErrors=[err58]:vErrors.push(err58),errors++}}else{const err59={instancePath:instancePath+"/env",schemaPath:"\
#/properties/env/propertyNames/type",keyword:"type",params:{type:"string"},propertyName:key5};vErrors===null?vErrors=[err59]:vErrors.push(err59),errors++}var valid10=_errs69===
errors;if(!valid10){const err60={instancePath:instancePath+"/env",schemaPath:"#/properties/env/propertyNames",keyword:"propertyNames",params:{propertyName:key5}};
vErrors===null?vErrors=[err60]:vErrors.push(err60),errors++}}for(const key6 in data29)if(typeof data29[key6]!="string"){const err61={instancePath:instancePath+"\
/env/"+key6.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/env/additionalProperties/type",keyword:"type",params:{type:"string"}};vErrors===null?
vErrors=[err61]:vErrors.push(err61),errors++}}else{const err62={instancePath:instancePath+"/env",schemaPath:"#/properties/env/type",keyword:"type",params:{type:"\
object"}};vErrors===null?vErrors=[err62]:vErrors.push(err62),errors++}}if(data.output!==void 0){let data31=data.output;if(typeof data31!="string"){const err63={
instancePath:instancePath+"/output",schemaPath:"#/properties/output/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err63]:vErrors.push(err63),
errors++}if(!(data31==="fresh"||data31==="fixed")){const err64={instancePath:instancePath+"/output",schemaPath:"#/properties/output/enum",keyword:"enum",params:{
allowedValues:schema62.properties.output.enum}};vErrors===null?vErrors=[err64]:vErrors.push(err64),errors++}}if(data.output_folder!==void 0){let data32=data.output_folder;
if(typeof data32=="string"){if(!pattern2.test(data32)){const err65={instancePath:instancePath+"/output_folder",schemaPath:"#/properties/output_folder/pattern",keyword:"\
pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err65]:vErrors.push(err65),errors++}}else{const err66={instancePath:instancePath+"/output_folder",schemaPath:"\
#/properties/output_folder/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err66]:vErrors.push(err66),errors++}}if(data.keep!==void 0){let data33=data.
keep;if(typeof data33!="string"&&!(typeof data33=="number"&&!(data33%1)&&!isNaN(data33))){const err67={instancePath:instancePath+"/keep",schemaPath:"#/propertie\
s/keep/type",keyword:"type",params:{type:schema62.properties.keep.type}};vErrors===null?vErrors=[err67]:vErrors.push(err67),errors++}if(typeof data33=="number"&&
(data33<1||isNaN(data33))){const err68={instancePath:instancePath+"/keep",schemaPath:"#/properties/keep/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};
vErrors===null?vErrors=[err68]:vErrors.push(err68),errors++}if(typeof data33=="string"&&!pattern109.test(data33)){const err69={instancePath:instancePath+"/keep",
schemaPath:"#/properties/keep/pattern",keyword:"pattern",params:{pattern:"^(all|last|best)$"}};vErrors===null?vErrors=[err69]:vErrors.push(err69),errors++}}if(data.
metrics!==void 0){let data34=data.metrics;if(data34&&typeof data34=="object"&&!Array.isArray(data34)){for(const key7 in data34)if(!(key7==="wandb"||key7==="tens\
orboard")){const err70={instancePath:instancePath+"/metrics",schemaPath:"#/definitions/trainerMetrics/additionalProperties",keyword:"additionalProperties",params:{
additionalProperty:key7}};vErrors===null?vErrors=[err70]:vErrors.push(err70),errors++}if(data34.wandb!==void 0){let data35=data34.wandb;if(data35&&typeof data35==
"object"&&!Array.isArray(data35)){if(data35.project===void 0){const err71={instancePath:instancePath+"/metrics/wandb",schemaPath:"#/definitions/trainerMetrics/p\
roperties/wandb/required",keyword:"required",params:{missingProperty:"project"}};vErrors===null?vErrors=[err71]:vErrors.push(err71),errors++}for(const key8 in data35)
if(!(key8==="project"||key8==="name"||key8==="api_key"||key8==="mode")){const err72={instancePath:instancePath+"/metrics/wandb",schemaPath:"#/definitions/traine\
rMetrics/properties/wandb/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key8}};vErrors===null?vErrors=[err72]:vErrors.push(err72),
errors++}if(data35.project!==void 0){let data36=data35.project;if(typeof data36=="string"){if(!pattern2.test(data36)){const err73={instancePath:instancePath+"/m\
etrics/wandb/project",schemaPath:"#/definitions/trainerMetrics/properties/wandb/properties/project/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===
null?vErrors=[err73]:vErrors.push(err73),errors++}}else{const err74={instancePath:instancePath+"/metrics/wandb/project",schemaPath:"#/definitions/trainerMetrics\
/properties/wandb/properties/project/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err74]:vErrors.push(err74),errors++}}if(data35.name!==
void 0){let data37=data35.name;if(typeof data37=="string"){if(!pattern2.test(data37)){const err75={instancePath:instancePath+"/metrics/wandb/name",schemaPath:"#\
/definitions/trainerMetrics/properties/wandb/properties/name/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err75]:vErrors.push(err75),
errors++}}else{const err76={instancePath:instancePath+"/metrics/wandb/name",schemaPath:"#/definitions/trainerMetrics/properties/wandb/properties/name/type",keyword:"\
type",params:{type:"string"}};vErrors===null?vErrors=[err76]:vErrors.push(err76),errors++}}if(data35.api_key!==void 0){let data38=data35.api_key;if(typeof data38==
"string"){if(!pattern2.test(data38)){const err77={instancePath:instancePath+"/metrics/wandb/api_key",schemaPath:"#/definitions/trainerMetrics/properties/wandb/p\
roperties/api_key/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err77]:vErrors.push(err77),errors++}}else{const err78={instancePath:instancePath+
"/metrics/wandb/api_key",schemaPath:"#/definitions/trainerMetrics/properties/wandb/properties/api_key/type",keyword:"type",params:{type:"string"}};vErrors===null?
vErrors=[err78]:vErrors.push(err78),errors++}}if(data35.mode!==void 0){let data39=data35.mode;if(typeof data39!="string"){const err79={instancePath:instancePath+
"/metrics/wandb/mode",schemaPath:"#/definitions/trainerMetrics/properties/wandb/properties/mode/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=
[err79]:vErrors.push(err79),errors++}if(!(data39==="online"||data39==="offline")){const err80={instancePath:instancePath+"/metrics/wandb/mode",schemaPath:"#/def\
initions/trainerMetrics/properties/wandb/properties/mode/enum",keyword:"enum",params:{allowedValues:schema66.properties.wandb.properties.mode.enum}};vErrors===null?
vErrors=[err80]:vErrors.push(err80),errors++}}}else{const err81={instancePath:instancePath+"/metrics/wandb",schemaPath:"#/definitions/trainerMetrics/properties/\
wandb/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err81]:vErrors.push(err81),errors++}}if(data34.tensorboard!==void 0&&typeof data34.tensorboard!=
"boolean"){const err82={instancePath:instancePath+"/metrics/tensorboard",schemaPath:"#/definitions/trainerMetrics/properties/tensorboard/type",keyword:"type",params:{
type:"boolean"}};vErrors===null?vErrors=[err82]:vErrors.push(err82),errors++}}else{const err83={instancePath:instancePath+"/metrics",schemaPath:"#/definitions/t\
rainerMetrics/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err83]:vErrors.push(err83),errors++}}if(data.image!==void 0&&(validate41(data.
image,{instancePath:instancePath+"/image",parentData:data,parentDataProperty:"image",rootData})||(vErrors=vErrors===null?validate41.errors:vErrors.concat(validate41.
errors),errors=vErrors.length)),data.timeout!==void 0){let data42=data.timeout;if(typeof data42!="string"&&typeof data42!="number"){const err84={instancePath:instancePath+
"/timeout",schemaPath:"#/definitions/duration/type",keyword:"type",params:{type:schema29.type}};vErrors===null?vErrors=[err84]:vErrors.push(err84),errors++}if(typeof data42==
"number"&&(data42<=0||isNaN(data42))){const err85={instancePath:instancePath+"/timeout",schemaPath:"#/definitions/duration/exclusiveMinimum",keyword:"exclusiveM\
inimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err85]:vErrors.push(err85),errors++}if(typeof data42=="string"&&!pattern34.test(data42)){const err86={
instancePath:instancePath+"/timeout",schemaPath:"#/definitions/duration/pattern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===
null?vErrors=[err86]:vErrors.push(err86),errors++}}if(data.epochs!==void 0){let data43=data.epochs;if(!(typeof data43=="number"&&!(data43%1)&&!isNaN(data43))){const err87={
instancePath:instancePath+"/epochs",schemaPath:"#/properties/epochs/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err87]:vErrors.push(err87),
errors++}if(typeof data43=="number"&&(data43<1||isNaN(data43))){const err88={instancePath:instancePath+"/epochs",schemaPath:"#/properties/epochs/minimum",keyword:"\
minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err88]:vErrors.push(err88),errors++}}if(data.learning_rate!==void 0){let data44=data.learning_rate;
if(typeof data44=="number"){if(data44<=0||isNaN(data44)){const err89={instancePath:instancePath+"/learning_rate",schemaPath:"#/properties/learning_rate/exclusiv\
eMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err89]:vErrors.push(err89),errors++}}else{const err90={instancePath:instancePath+
"/learning_rate",schemaPath:"#/properties/learning_rate/type",keyword:"type",params:{type:"number"}};vErrors===null?vErrors=[err90]:vErrors.push(err90),errors++}}
if(data.weight_decay!==void 0){let data45=data.weight_decay;if(typeof data45=="number"){if(data45<0||isNaN(data45)){const err91={instancePath:instancePath+"/wei\
ght_decay",schemaPath:"#/properties/weight_decay/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err91]:vErrors.push(err91),
errors++}}else{const err92={instancePath:instancePath+"/weight_decay",schemaPath:"#/properties/weight_decay/type",keyword:"type",params:{type:"number"}};vErrors===
null?vErrors=[err92]:vErrors.push(err92),errors++}}if(data.warmup_steps!==void 0){let data46=data.warmup_steps;if(!(typeof data46=="number"&&!(data46%1)&&!isNaN(
data46))){const err93={instancePath:instancePath+"/warmup_steps",schemaPath:"#/properties/warmup_steps/type",keyword:"type",params:{type:"integer"}};vErrors===null?
vErrors=[err93]:vErrors.push(err93),errors++}if(typeof data46=="number"&&(data46<0||isNaN(data46))){const err94={instancePath:instancePath+"/warmup_steps",schemaPath:"\
#/properties/warmup_steps/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err94]:vErrors.push(err94),errors++}}if(data.batch_size!==
void 0){let data47=data.batch_size;if(!(typeof data47=="number"&&!(data47%1)&&!isNaN(data47))){const err95={instancePath:instancePath+"/batch_size",schemaPath:"\
#/properties/batch_size/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err95]:vErrors.push(err95),errors++}if(typeof data47=="number"&&(data47<
1||isNaN(data47))){const err96={instancePath:instancePath+"/batch_size",schemaPath:"#/properties/batch_size/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};
vErrors===null?vErrors=[err96]:vErrors.push(err96),errors++}}if(data.accumulation!==void 0){let data48=data.accumulation;if(!(typeof data48=="number"&&!(data48%
1)&&!isNaN(data48))){const err97={instancePath:instancePath+"/accumulation",schemaPath:"#/properties/accumulation/type",keyword:"type",params:{type:"integer"}};
vErrors===null?vErrors=[err97]:vErrors.push(err97),errors++}if(typeof data48=="number"&&(data48<1||isNaN(data48))){const err98={instancePath:instancePath+"/accu\
mulation",schemaPath:"#/properties/accumulation/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err98]:vErrors.push(err98),
errors++}}if(data.max_length!==void 0){let data49=data.max_length;if(!(typeof data49=="number"&&!(data49%1)&&!isNaN(data49))){const err99={instancePath:instancePath+
"/max_length",schemaPath:"#/properties/max_length/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err99]:vErrors.push(err99),errors++}if(typeof data49==
"number"&&(data49<1||isNaN(data49))){const err100={instancePath:instancePath+"/max_length",schemaPath:"#/properties/max_length/minimum",keyword:"minimum",params:{
comparison:">=",limit:1}};vErrors===null?vErrors=[err100]:vErrors.push(err100),errors++}}if(data.seed!==void 0){let data50=data.seed;if(!(typeof data50=="number"&&
!(data50%1)&&!isNaN(data50))){const err101={instancePath:instancePath+"/seed",schemaPath:"#/properties/seed/type",keyword:"type",params:{type:"integer"}};vErrors===
null?vErrors=[err101]:vErrors.push(err101),errors++}if(typeof data50=="number"&&(data50<0||isNaN(data50))){const err102={instancePath:instancePath+"/seed",schemaPath:"\
#/properties/seed/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err102]:vErrors.push(err102),errors++}}if(data.max_steps!==
void 0){let data51=data.max_steps;if(!(typeof data51=="number"&&!(data51%1)&&!isNaN(data51))){const err103={instancePath:instancePath+"/max_steps",schemaPath:"#\
/properties/max_steps/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err103]:vErrors.push(err103),errors++}if(typeof data51=="number"&&(data51<
1||isNaN(data51))){const err104={instancePath:instancePath+"/max_steps",schemaPath:"#/properties/max_steps/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};
vErrors===null?vErrors=[err104]:vErrors.push(err104),errors++}}if(data.overrides!==void 0){let data52=data.overrides;if(!(data52&&typeof data52=="object"&&!Array.
isArray(data52))){const err105={instancePath:instancePath+"/overrides",schemaPath:"#/properties/overrides/type",keyword:"type",params:{type:"object"}};vErrors===
null?vErrors=[err105]:vErrors.push(err105),errors++}}if(data.dtype!==void 0){let data53=data.dtype;if(typeof data53!="string"){const err106={instancePath:instancePath+
"/dtype",schemaPath:"#/properties/dtype/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err106]:vErrors.push(err106),errors++}if(!(data53===
"bf16"||data53==="fp32")){const err107={instancePath:instancePath+"/dtype",schemaPath:"#/properties/dtype/enum",keyword:"enum",params:{allowedValues:schema62.properties.
dtype.enum}};vErrors===null?vErrors=[err107]:vErrors.push(err107),errors++}}if(data.lora!==void 0){let data54=data.lora;if(data54&&typeof data54=="object"&&!Array.
isArray(data54)){for(const key9 in data54)if(!(key9==="rank"||key9==="alpha"||key9==="dropout")){const err108={instancePath:instancePath+"/lora",schemaPath:"#/p\
roperties/lora/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key9}};vErrors===null?vErrors=[err108]:vErrors.push(err108),errors++}
if(data54.rank!==void 0){let data55=data54.rank;if(!(typeof data55=="number"&&!(data55%1)&&!isNaN(data55))){const err109={instancePath:instancePath+"/lora/rank",
schemaPath:"#/properties/lora/properties/rank/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err109]:vErrors.push(err109),errors++}if(typeof data55==
"number"&&(data55<1||isNaN(data55))){const err110={instancePath:instancePath+"/lora/rank",schemaPath:"#/properties/lora/properties/rank/minimum",keyword:"minimu\
m",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err110]:vErrors.push(err110),errors++}}if(data54.alpha!==void 0){let data56=data54.alpha;if(typeof data56==
"number"){if(data56<=0||isNaN(data56)){const err111={instancePath:instancePath+"/lora/alpha",schemaPath:"#/properties/lora/properties/alpha/exclusiveMinimum",keyword:"\
exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err111]:vErrors.push(err111),errors++}}else{const err112={instancePath:instancePath+"\
/lora/alpha",schemaPath:"#/properties/lora/properties/alpha/type",keyword:"type",params:{type:"number"}};vErrors===null?vErrors=[err112]:vErrors.push(err112),errors++}}
if(data54.dropout!==void 0){let data57=data54.dropout;if(typeof data57=="number"){if(data57>1||isNaN(data57)){const err113={instancePath:instancePath+"/lora/dro\
pout",schemaPath:"#/properties/lora/properties/dropout/maximum",keyword:"maximum",params:{comparison:"<=",limit:1}};vErrors===null?vErrors=[err113]:vErrors.push(
err113),errors++}if(data57<0||isNaN(data57)){const err114={instancePath:instancePath+"/lora/dropout",schemaPath:"#/properties/lora/properties/dropout/minimum",keyword:"\
minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err114]:vErrors.push(err114),errors++}}else{const err115={instancePath:instancePath+"/lora/dr\
opout",schemaPath:"#/properties/lora/properties/dropout/type",keyword:"type",params:{type:"number"}};vErrors===null?vErrors=[err115]:vErrors.push(err115),errors++}}}else{
const err116={instancePath:instancePath+"/lora",schemaPath:"#/properties/lora/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err116]:vErrors.
push(err116),errors++}}if(data.recipe!==void 0){let data58=data.recipe;if(typeof data58=="string"){if(!pattern2.test(data58)){const err117={instancePath:instancePath+
"/recipe",schemaPath:"#/properties/recipe/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err117]:vErrors.push(err117),errors++}}else{
const err118={instancePath:instancePath+"/recipe",schemaPath:"#/properties/recipe/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err118]:vErrors.
push(err118),errors++}}if(data.save_every!==void 0){let data59=data.save_every;if(!(typeof data59=="number"&&!(data59%1)&&!isNaN(data59))){const err119={instancePath:instancePath+
"/save_every",schemaPath:"#/properties/save_every/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err119]:vErrors.push(err119),errors++}if(typeof data59==
"number"&&(data59<1||isNaN(data59))){const err120={instancePath:instancePath+"/save_every",schemaPath:"#/properties/save_every/minimum",keyword:"minimum",params:{
comparison:">=",limit:1}};vErrors===null?vErrors=[err120]:vErrors.push(err120),errors++}}if(data.folder!==void 0){let data60=data.folder;if(typeof data60=="stri\
ng"){if(!pattern2.test(data60)){const err121={instancePath:instancePath+"/folder",schemaPath:"#/properties/folder/pattern",keyword:"pattern",params:{pattern:"\\S"}};
vErrors===null?vErrors=[err121]:vErrors.push(err121),errors++}}else{const err122={instancePath:instancePath+"/folder",schemaPath:"#/properties/folder/type",keyword:"\
type",params:{type:"string"}};vErrors===null?vErrors=[err122]:vErrors.push(err122),errors++}}if(data.commit!==void 0){let data61=data.commit;if(typeof data61=="\
string"){if(!pattern120.test(data61)){const err123={instancePath:instancePath+"/commit",schemaPath:"#/properties/commit/pattern",keyword:"pattern",params:{pattern:"\
^[0-9a-f]{7,40}$"}};vErrors===null?vErrors=[err123]:vErrors.push(err123),errors++}}else{const err124={instancePath:instancePath+"/commit",schemaPath:"#/properti\
es/commit/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err124]:vErrors.push(err124),errors++}}}else{const err125={instancePath,schemaPath:"\
#/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err125]:vErrors.push(err125),errors++}return validate40.errors=vErrors,errors===0}const schema70={
type:"object",additionalProperties:!1,properties:{type:{type:"string",enum:["none","skyrl","slime","miles","verl","command"]},rows:{type:"string",enum:["skyrl",
"slime","miles","verl"]},data:{type:"object",additionalProperties:!1,properties:{dataset:{type:"string"},range:{type:"string"},seed:{type:"integer",minimum:0},gold:{
type:"string",enum:["keep","drop"]},source_name:{type:"string",pattern:"\\S"}}},model:{$ref:"#/definitions/baseModel"},deployment:{type:"string"},gpus:{type:"in\
teger",minimum:0},nodes:{type:"integer",minimum:1},command:{type:"string",pattern:"\\S"},env:{type:"object",propertyNames:{type:"string",pattern:"^[A-Za-z_][A-Z\
a-z0-9_]*$"},additionalProperties:{type:"string"}},output:{type:"string",enum:["fresh","fixed"]},output_folder:{type:"string",pattern:"\\S"},keep:{type:["string",
"integer"],pattern:"^(all|last|best)$",minimum:1},metrics:{$ref:"#/definitions/trainerMetrics"},image:{$ref:"#/definitions/trainerImage"},timeout:{allOf:[{$ref:"\
#/definitions/duration"}]},folder:{type:"string",pattern:"\\S"},commit:{type:"string",pattern:"^[0-9a-f]{7,40}$"},overrides:{type:"object",additionalProperties:!0},
save_every:{type:"integer",minimum:1},generate:{type:"string",pattern:"\\S"},sequences:{type:"string",enum:["all","longest"]},train:{type:"string",enum:["main",
"agents","all"]},epochs:{type:"integer",minimum:1},batch:{type:"integer",minimum:1},samples:{type:"integer",minimum:1},updates:{type:"integer",minimum:1},learning_rate:{
type:"number",exclusiveMinimum:0},weight_decay:{type:"number",minimum:0},kl:{type:"number",minimum:0},clip:{type:"number",exclusiveMinimum:0},clip_high:{type:"n\
umber",exclusiveMinimum:0},estimator:{type:"string",enum:["grpo","step_wise","rloo"]},temperature:{type:"number",minimum:0,maximum:2},top_p:{type:"number",exclusiveMinimum:0,
maximum:1},max_prompt:{type:"integer",minimum:1},max_context:{type:"integer",minimum:1},max_response:{type:"integer",minimum:1},seed:{type:"integer",minimum:0},
engine_gpus:{type:"integer",minimum:1},memory_fraction:{type:"number",exclusiveMinimum:0,maximum:1},context_parallel:{type:"integer",minimum:1},colocate:{type:"\
boolean"},actor_gpus:{type:"integer",minimum:1},rollout_gpus:{type:"integer",minimum:1},flavor:{type:"string",enum:["minisandbox","unified"]},steps:{type:"integ\
er",minimum:1},max_tokens_per_gpu:{type:"integer",minimum:1},reward:{type:"string",pattern:"\\S"},module:{type:"string",pattern:"\\S"},mode:{type:"string",enum:[
"bridge","raw"]},model_args:{type:"string",pattern:"\\S"},megatron:{type:"string",pattern:"\\S"},ray_address:{type:"string",pattern:"\\S"},tensor_parallel:{type:"\
integer",minimum:1},pipeline_parallel:{type:"integer",minimum:1},dynamic_history:{type:"boolean"},prm:{type:"object",additionalProperties:!1,properties:{model:{
type:"string",pattern:"\\S"},gpus:{type:"integer",minimum:1},engine_gpus:{type:"integer",minimum:1},votes:{type:"integer",minimum:1},coefficient:{type:"number",
minimum:0},temperature:{type:"number",minimum:0,maximum:2},max_tokens:{type:"integer",minimum:1}}}}},schema71={type:"object",additionalProperties:!1,properties:{
id:{type:"string",pattern:"^[A-Za-z0-9][\\w.-]*/[\\w.-]+$"},revision:{type:"string",pattern:"\\S"},path:{type:"string",pattern:"\\S"},from:{type:"string",enum:[
"sft"]}}};function validate44(data,{instancePath="",parentData,parentDataProperty,rootData=data}={}){let vErrors=null,errors=0;if(data&&typeof data=="object"&&!Array.
isArray(data)){for(const key0 in data)if(!func2.call(schema70.properties,key0)){const err0={instancePath,schemaPath:"#/additionalProperties",keyword:"additional\
Properties",params:{additionalProperty:key0}};vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}if(data.type!==void 0){let data0=data.type;if(typeof data0!=
"string"){const err1={instancePath:instancePath+"/type",schemaPath:"#/properties/type/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err1]:
vErrors.push(err1),errors++}if(!(data0==="none"||data0==="skyrl"||data0==="slime"||data0==="miles"||data0==="verl"||data0==="command")){const err2={instancePath:instancePath+
"/type",schemaPath:"#/properties/type/enum",keyword:"enum",params:{allowedValues:schema70.properties.type.enum}};vErrors===null?vErrors=[err2]:vErrors.push(err2),
errors++}}if(data.rows!==void 0){let data1=data.rows;if(typeof data1!="string"){const err3={instancePath:instancePath+"/rows",schemaPath:"#/properties/rows/type",
keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}if(!(data1==="skyrl"||data1==="slime"||data1==="miles"||data1===
"verl")){const err4={instancePath:instancePath+"/rows",schemaPath:"#/properties/rows/enum",keyword:"enum",params:{allowedValues:schema70.properties.rows.enum}};
vErrors===null?vErrors=[err4]:vErrors.push(err4),errors++}}if(data.data!==void 0){let data2=data.data;if(data2&&typeof data2=="object"&&!Array.isArray(data2)){for(const key1 in data2)
if(!(key1==="dataset"||key1==="range"||key1==="seed"||key1==="gold"||key1==="source_name")){const err5={instancePath:instancePath+"/data",schemaPath:"#/properti\
es/data/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key1}};vErrors===null?vErrors=[err5]:vErrors.push(err5),errors++}if(data2.
dataset!==void 0&&typeof data2.dataset!="string"){const err6={instancePath:instancePath+"/data/dataset",schemaPath:"#/properties/data/properties/dataset/type",keyword:"\
type",params:{type:"string"}};vErrors===null?vErrors=[err6]:vErrors.push(err6),errors++}if(data2.range!==void 0&&typeof data2.range!="string"){const err7={instancePath:instancePath+
"/data/range",schemaPath:"#/properties/data/properties/range/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err7]:vErrors.push(err7),errors++}
if(data2.seed!==void 0){let data5=data2.seed;if(!(typeof data5=="number"&&!(data5%1)&&!isNaN(data5))){const err8={instancePath:instancePath+"/data/seed",schemaPath:"\
#/properties/data/properties/seed/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err8]:vErrors.push(err8),errors++}if(typeof data5=="numb\
er"&&(data5<0||isNaN(data5))){const err9={instancePath:instancePath+"/data/seed",schemaPath:"#/properties/data/properties/seed/minimum",keyword:"minimum",params:{
comparison:">=",limit:0}};vErrors===null?vErrors=[err9]:vErrors.push(err9),errors++}}if(data2.gold!==void 0){let data6=data2.gold;if(typeof data6!="string"){const err10={
instancePath:instancePath+"/data/gold",schemaPath:"#/properties/data/properties/gold/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err10]:
vErrors.push(err10),errors++}if(!(data6==="keep"||data6==="drop")){const err11={instancePath:instancePath+"/data/gold",schemaPath:"#/properties/data/properties/\
gold/enum",keyword:"enum",params:{allowedValues:schema70.properties.data.properties.gold.enum}};vErrors===null?vErrors=[err11]:vErrors.push(err11),errors++}}if(data2.
source_name!==void 0){let data7=data2.source_name;if(typeof data7=="string"){if(!pattern2.test(data7)){const err12={instancePath:instancePath+"/data/source_name",
schemaPath:"#/properties/data/properties/source_name/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err12]:vErrors.push(err12),errors++}}else{
const err13={instancePath:instancePath+"/data/source_name",schemaPath:"#/properties/data/properties/source_name/type",keyword:"type",params:{type:"string"}};vErrors===
null?vErrors=[err13]:vErrors.push(err13),errors++}}}else{const err14={instancePath:instancePath+"/data",schemaPath:"#/properties/data/type",keyword:"type",params:{
type:"object"}};vErrors===null?vErrors=[err14]:vErrors.push(err14),errors++}}if(data.model!==void 0){let data8=data.model;if(data8&&typeof data8=="object"&&!Array.
isArray(data8)){for(const key2 in data8)if(!(key2==="id"||key2==="revision"||key2==="path"||key2==="from")){const err15={instancePath:instancePath+"/model",schemaPath:"\
#/definitions/baseModel/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key2}};vErrors===null?vErrors=[err15]:vErrors.push(err15),
errors++}if(data8.id!==void 0){let data9=data8.id;if(typeof data9=="string"){if(!pattern70.test(data9)){const err16={instancePath:instancePath+"/model/id",schemaPath:"\
#/definitions/baseModel/properties/id/pattern",keyword:"pattern",params:{pattern:"^[A-Za-z0-9][\\w.-]*/[\\w.-]+$"}};vErrors===null?vErrors=[err16]:vErrors.push(
err16),errors++}}else{const err17={instancePath:instancePath+"/model/id",schemaPath:"#/definitions/baseModel/properties/id/type",keyword:"type",params:{type:"st\
ring"}};vErrors===null?vErrors=[err17]:vErrors.push(err17),errors++}}if(data8.revision!==void 0){let data10=data8.revision;if(typeof data10=="string"){if(!pattern2.
test(data10)){const err18={instancePath:instancePath+"/model/revision",schemaPath:"#/definitions/baseModel/properties/revision/pattern",keyword:"pattern",params:{
pattern:"\\S"}};vErrors===null?vErrors=[err18]:vErrors.push(err18),errors++}}else{const err19={instancePath:instancePath+"/model/revision",schemaPath:"#/definit\
ions/baseModel/properties/revision/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err19]:vErrors.push(err19),errors++}}if(data8.path!==void 0){
let data11=data8.path;if(typeof data11=="string"){if(!pattern2.test(data11)){const err20={instancePath:instancePath+"/model/path",schemaPath:"#/definitions/base\
Model/properties/path/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err20]:vErrors.push(err20),errors++}}else{const err21={instancePath:instancePath+
"/model/path",schemaPath:"#/definitions/baseModel/properties/path/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err21]:vErrors.push(err21),
errors++}}if(data8.from!==void 0){let data12=data8.from;if(typeof data12!="string"){const err22={instancePath:instancePath+"/model/from",schemaPath:"#/definitio\
ns/baseModel/properties/from/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err22]:vErrors.push(err22),errors++}if(data12!=="sft"){const err23={
instancePath:instancePath+"/model/from",schemaPath:"#/definitions/baseModel/properties/from/enum",keyword:"enum",params:{allowedValues:schema71.properties.from.
enum}};vErrors===null?vErrors=[err23]:vErrors.push(err23),errors++}}}else{const err24={instancePath:instancePath+"/model",schemaPath:"#/definitions/baseModel/ty\
pe",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err24]:vErrors.push(err24),errors++}}if(data.deployment!==void 0&&typeof data.deployment!="st\
ring"){const err25={instancePath:instancePath+"/deployment",schemaPath:"#/properties/deployment/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=
[err25]:vErrors.push(err25),errors++}if(data.gpus!==void 0){let data14=data.gpus;if(!(typeof data14=="number"&&!(data14%1)&&!isNaN(data14))){const err26={instancePath:instancePath+
"/gpus",schemaPath:"#/properties/gpus/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err26]:vErrors.push(err26),errors++}if(typeof data14==
"number"&&(data14<0||isNaN(data14))){const err27={instancePath:instancePath+"/gpus",schemaPath:"#/properties/gpus/minimum",keyword:"minimum",params:{comparison:"\
>=",limit:0}};vErrors===null?vErrors=[err27]:vErrors.push(err27),errors++}}if(data.nodes!==void 0){let data15=data.nodes;if(!(typeof data15=="number"&&!(data15%
1)&&!isNaN(data15))){const err28={instancePath:instancePath+"/nodes",schemaPath:"#/properties/nodes/type",keyword:"type",params:{type:"integer"}};vErrors===null?
vErrors=[err28]:vErrors.push(err28),errors++}if(typeof data15=="number"&&(data15<1||isNaN(data15))){const err29={instancePath:instancePath+"/nodes",schemaPath:"\
#/properties/nodes/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err29]:vErrors.push(err29),errors++}}if(data.command!==void 0){
let data16=data.command;if(typeof data16=="string"){if(!pattern2.test(data16)){const err30={instancePath:instancePath+"/command",schemaPath:"#/properties/comman\
d/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err30]:vErrors.push(err30),errors++}}else{const err31={instancePath:instancePath+"/\
command",schemaPath:"#/properties/command/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err31]:vErrors.push(err31),errors++}}if(data.env!==
void 0){let data17=data.env;if(data17&&typeof data17=="object"&&!Array.isArray(data17)){for(const key3 in data17){const _errs41=errors;if(typeof key3=="string"){
if(!pattern27.test(key3)){const err32={instancePath:instancePath+"/env",schemaPath:"#/properties/env/propertyNames/pattern",keyword:"pattern",params:{pattern:"^\
[A-Za-z_][A-Za-z0-9_]*$"},propertyName:key3};vErrors===null?vErrors=[err32]:vErrors.push(err32),errors++}}else{const err33={instancePath:instancePath+"/env",schemaPath:"\
#/properties/env/propertyNames/type",keyword:"type",params:{type:"string"},propertyName:key3};vErrors===null?vErrors=[err33]:vErrors.push(err33),errors++}var valid4=_errs41===
errors;if(!valid4){const err34={instancePath:instancePath+"/env",schemaPath:"#/properties/env/propertyNames",keyword:"propertyNames",params:{propertyName:key3}};
vErrors===null?vErrors=[err34]:vErrors.push(err34),errors++}}for(const key4 in data17)if(typeof data17[key4]!="string"){const err35={instancePath:instancePath+"\
/env/"+key4.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/env/additionalProperties/type",keyword:"type",params:{type:"string"}};vErrors===null?
vErrors=[err35]:vErrors.push(err35),errors++}}else{const err36={instancePath:instancePath+"/env",schemaPath:"#/properties/env/type",keyword:"type",params:{type:"\
object"}};vErrors===null?vErrors=[err36]:vErrors.push(err36),errors++}}if(data.output!==void 0){let data19=data.output;if(typeof data19!="string"){const err37={
instancePath:instancePath+"/output",schemaPath:"#/properties/output/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err37]:vErrors.push(err37),
errors++}if(!(data19==="fresh"||data19==="fixed")){const err38={instancePath:instancePath+"/output",schemaPath:"#/properties/output/enum",keyword:"enum",params:{
allowedValues:schema70.properties.output.enum}};vErrors===null?vErrors=[err38]:vErrors.push(err38),errors++}}if(data.output_folder!==void 0){let data20=data.output_folder;
if(typeof data20=="string"){if(!pattern2.test(data20)){const err39={instancePath:instancePath+"/output_folder",schemaPath:"#/properties/output_folder/pattern",keyword:"\
pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err39]:vErrors.push(err39),errors++}}else{const err40={instancePath:instancePath+"/output_folder",schemaPath:"\
#/properties/output_folder/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err40]:vErrors.push(err40),errors++}}if(data.keep!==void 0){let data21=data.
keep;if(typeof data21!="string"&&!(typeof data21=="number"&&!(data21%1)&&!isNaN(data21))){const err41={instancePath:instancePath+"/keep",schemaPath:"#/propertie\
s/keep/type",keyword:"type",params:{type:schema70.properties.keep.type}};vErrors===null?vErrors=[err41]:vErrors.push(err41),errors++}if(typeof data21=="number"&&
(data21<1||isNaN(data21))){const err42={instancePath:instancePath+"/keep",schemaPath:"#/properties/keep/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};
vErrors===null?vErrors=[err42]:vErrors.push(err42),errors++}if(typeof data21=="string"&&!pattern109.test(data21)){const err43={instancePath:instancePath+"/keep",
schemaPath:"#/properties/keep/pattern",keyword:"pattern",params:{pattern:"^(all|last|best)$"}};vErrors===null?vErrors=[err43]:vErrors.push(err43),errors++}}if(data.
metrics!==void 0){let data22=data.metrics;if(data22&&typeof data22=="object"&&!Array.isArray(data22)){for(const key5 in data22)if(!(key5==="wandb"||key5==="tens\
orboard")){const err44={instancePath:instancePath+"/metrics",schemaPath:"#/definitions/trainerMetrics/additionalProperties",keyword:"additionalProperties",params:{
additionalProperty:key5}};vErrors===null?vErrors=[err44]:vErrors.push(err44),errors++}if(data22.wandb!==void 0){let data23=data22.wandb;if(data23&&typeof data23==
"object"&&!Array.isArray(data23)){if(data23.project===void 0){const err45={instancePath:instancePath+"/metrics/wandb",schemaPath:"#/definitions/trainerMetrics/p\
roperties/wandb/required",keyword:"required",params:{missingProperty:"project"}};vErrors===null?vErrors=[err45]:vErrors.push(err45),errors++}for(const key6 in data23)
if(!(key6==="project"||key6==="name"||key6==="api_key"||key6==="mode")){const err46={instancePath:instancePath+"/metrics/wandb",schemaPath:"#/definitions/traine\
rMetrics/properties/wandb/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key6}};vErrors===null?vErrors=[err46]:vErrors.push(err46),
errors++}if(data23.project!==void 0){let data24=data23.project;if(typeof data24=="string"){if(!pattern2.test(data24)){const err47={instancePath:instancePath+"/m\
etrics/wandb/project",schemaPath:"#/definitions/trainerMetrics/properties/wandb/properties/project/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===
null?vErrors=[err47]:vErrors.push(err47),errors++}}else{const err48={instancePath:instancePath+"/metrics/wandb/project",schemaPath:"#/definitions/trainerMetrics\
/properties/wandb/properties/project/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err48]:vErrors.push(err48),errors++}}if(data23.name!==
void 0){let data25=data23.name;if(typeof data25=="string"){if(!pattern2.test(data25)){const err49={instancePath:instancePath+"/metrics/wandb/name",schemaPath:"#\
/definitions/trainerMetrics/properties/wandb/properties/name/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err49]:vErrors.push(err49),
errors++}}else{const err50={instancePath:instancePath+"/metrics/wandb/name",schemaPath:"#/definitions/trainerMetrics/properties/wandb/properties/name/type",keyword:"\
type",params:{type:"string"}};vErrors===null?vErrors=[err50]:vErrors.push(err50),errors++}}if(data23.api_key!==void 0){let data26=data23.api_key;if(typeof data26==
"string"){if(!pattern2.test(data26)){const err51={instancePath:instancePath+"/metrics/wandb/api_key",schemaPath:"#/definitions/trainerMetrics/properties/wandb/p\
roperties/api_key/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err51]:vErrors.push(err51),errors++}}else{const err52={instancePath:instancePath+
"/metrics/wandb/api_key",schemaPath:"#/definitions/trainerMetrics/properties/wandb/properties/api_key/type",keyword:"type",params:{type:"string"}};vErrors===null?
vErrors=[err52]:vErrors.push(err52),errors++}}if(data23.mode!==void 0){let data27=data23.mode;if(typeof data27!="string"){const err53={instancePath:instancePath+
"/metrics/wandb/mode",schemaPath:"#/definitions/trainerMetrics/properties/wandb/properties/mode/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=
[err53]:vErrors.push(err53),errors++}if(!(data27==="online"||data27==="offline")){const err54={instancePath:instancePath+"/metrics/wandb/mode",schemaPath:"#/def\
initions/trainerMetrics/properties/wandb/properties/mode/enum",keyword:"enum",params:{allowedValues:schema66.properties.wandb.properties.mode.enum}};vErrors===null?
vErrors=[err54]:vErrors.push(err54),errors++}}}else{const err55={instancePath:instancePath+"/metrics/wandb",schemaPath:"#/definitions/trainerMetrics/properties/\
wandb/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err55]:vErrors.push(err55),errors++}}if(data22.tensorboard!==void 0&&typeof data22.tensorboard!=
"boolean"){const err56={instancePath:instancePath+"/metrics/tensorboard",schemaPath:"#/definitions/trainerMetrics/properties/tensorboard/type",keyword:"type",params:{
type:"boolean"}};vErrors===null?vErrors=[err56]:vErrors.push(err56),errors++}}else{const err57={instancePath:instancePath+"/metrics",schemaPath:"#/definitions/t\
rainerMetrics/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err57]:vErrors.push(err57),errors++}}if(data.image!==void 0&&(validate41(data.
image,{instancePath:instancePath+"/image",parentData:data,parentDataProperty:"image",rootData})||(vErrors=vErrors===null?validate41.errors:vErrors.concat(validate41.
errors),errors=vErrors.length)),data.timeout!==void 0){let data30=data.timeout;if(typeof data30!="string"&&typeof data30!="number"){const err58={instancePath:instancePath+
"/timeout",schemaPath:"#/definitions/duration/type",keyword:"type",params:{type:schema29.type}};vErrors===null?vErrors=[err58]:vErrors.push(err58),errors++}if(typeof data30==
"number"&&(data30<=0||isNaN(data30))){const err59={instancePath:instancePath+"/timeout",schemaPath:"#/definitions/duration/exclusiveMinimum",keyword:"exclusiveM\
inimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err59]:vErrors.push(err59),errors++}if(typeof data30=="string"&&!pattern34.test(data30)){const err60={
instancePath:instancePath+"/timeout",schemaPath:"#/definitions/duration/pattern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===
null?vErrors=[err60]:vErrors.push(err60),errors++}}if(data.folder!==void 0){let data31=data.folder;if(typeof data31=="string"){if(!pattern2.test(data31)){const err61={
instancePath:instancePath+"/folder",schemaPath:"#/properties/folder/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err61]:vErrors.push(
err61),errors++}}else{const err62={instancePath:instancePath+"/folder",schemaPath:"#/properties/folder/type",keyword:"type",params:{type:"string"}};vErrors===null?
vErrors=[err62]:vErrors.push(err62),errors++}}if(data.commit!==void 0){let data32=data.commit;if(typeof data32=="string"){if(!pattern120.test(data32)){const err63={
instancePath:instancePath+"/commit",schemaPath:"#/properties/commit/pattern",keyword:"pattern",params:{pattern:"^[0-9a-f]{7,40}$"}};vErrors===null?vErrors=[err63]:
vErrors.push(err63),errors++}}else{const err64={instancePath:instancePath+"/commit",schemaPath:"#/properties/commit/type",keyword:"type",params:{type:"string"}};
vErrors===null?vErrors=[err64]:vErrors.push(err64),errors++}}if(data.overrides!==void 0){let data33=data.overrides;if(!(data33&&typeof data33=="object"&&!Array.
isArray(data33))){const err65={instancePath:instancePath+"/overrides",schemaPath:"#/properties/overrides/type",keyword:"type",params:{type:"object"}};vErrors===
null?vErrors=[err65]:vErrors.push(err65),errors++}}if(data.save_every!==void 0){let data34=data.save_every;if(!(typeof data34=="number"&&!(data34%1)&&!isNaN(data34))){
const err66={instancePath:instancePath+"/save_every",schemaPath:"#/properties/save_every/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err66]:
vErrors.push(err66),errors++}if(typeof data34=="number"&&(data34<1||isNaN(data34))){const err67={instancePath:instancePath+"/save_every",schemaPath:"#/propertie\
s/save_every/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err67]:vErrors.push(err67),errors++}}if(data.generate!==void 0){
let data35=data.generate;if(typeof data35=="string"){if(!pattern2.test(data35)){const err68={instancePath:instancePath+"/generate",schemaPath:"#/properties/gene\
rate/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err68]:vErrors.push(err68),errors++}}else{const err69={instancePath:instancePath+
"/generate",schemaPath:"#/properties/generate/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err69]:vErrors.push(err69),errors++}}if(data.
sequences!==void 0){let data36=data.sequences;if(typeof data36!="string"){const err70={instancePath:instancePath+"/sequences",schemaPath:"#/properties/sequences\
/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err70]:vErrors.push(err70),errors++}if(!(data36==="all"||data36==="longest")){const err71={
instancePath:instancePath+"/sequences",schemaPath:"#/properties/sequences/enum",keyword:"enum",params:{allowedValues:schema70.properties.sequences.enum}};vErrors===
null?vErrors=[err71]:vErrors.push(err71),errors++}}if(data.train!==void 0){let data37=data.train;if(typeof data37!="string"){const err72={instancePath:instancePath+
"/train",schemaPath:"#/properties/train/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err72]:vErrors.push(err72),errors++}if(!(data37==="\
main"||data37==="agents"||data37==="all")){const err73={instancePath:instancePath+"/train",schemaPath:"#/properties/train/enum",keyword:"enum",params:{allowedValues:schema70.
properties.train.enum}};vErrors===null?vErrors=[err73]:vErrors.push(err73),errors++}}if(data.epochs!==void 0){let data38=data.epochs;if(!(typeof data38=="number"&&
!(data38%1)&&!isNaN(data38))){const err74={instancePath:instancePath+"/epochs",schemaPath:"#/properties/epochs/type",keyword:"type",params:{type:"integer"}};vErrors===
null?vErrors=[err74]:vErrors.push(err74),errors++}if(typeof data38=="number"&&(data38<1||isNaN(data38))){const err75={instancePath:instancePath+"/epochs",schemaPath:"\
#/properties/epochs/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err75]:vErrors.push(err75),errors++}}if(data.batch!==void 0){
let data39=data.batch;if(!(typeof data39=="number"&&!(data39%1)&&!isNaN(data39))){const err76={instancePath:instancePath+"/batch",schemaPath:"#/properties/batch\
/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err76]:vErrors.push(err76),errors++}if(typeof data39=="number"&&(data39<1||isNaN(data39))){
const err77={instancePath:instancePath+"/batch",schemaPath:"#/properties/batch/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=
[err77]:vErrors.push(err77),errors++}}if(data.samples!==void 0){let data40=data.samples;if(!(typeof data40=="number"&&!(data40%1)&&!isNaN(data40))){const err78={
instancePath:instancePath+"/samples",schemaPath:"#/properties/samples/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err78]:vErrors.push(
err78),errors++}if(typeof data40=="number"&&(data40<1||isNaN(data40))){const err79={instancePath:instancePath+"/samples",schemaPath:"#/properties/samples/minimu\
m",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err79]:vErrors.push(err79),errors++}}if(data.updates!==void 0){let data41=data.updates;
if(!(typeof data41=="number"&&!(data41%1)&&!isNaN(data41))){const err80={instancePath:instancePath+"/updates",schemaPath:"#/properties/updates/type",keyword:"ty\
pe",params:{type:"integer"}};vErrors===null?vErrors=[err80]:vErrors.push(err80),errors++}if(typeof data41=="number"&&(data41<1||isNaN(data41))){const err81={instancePath:instancePath+
"/updates",schemaPath:"#/properties/updates/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err81]:vErrors.push(err81),errors++}}
if(data.learning_rate!==void 0){let data42=data.learning_rate;if(typeof data42=="number"){if(data42<=0||isNaN(data42)){const err82={instancePath:instancePath+"/\
learning_rate",schemaPath:"#/properties/learning_rate/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err82]:
vErrors.push(err82),errors++}}else{const err83={instancePath:instancePath+"/learning_rate",schemaPath:"#/properties/learning_rate/type",keyword:"type",params:{type:"\
number"}};vErrors===null?vErrors=[err83]:vErrors.push(err83),errors++}}if(data.weight_decay!==void 0){let data43=data.weight_decay;if(typeof data43=="number"){if(data43<
0||isNaN(data43)){const err84={instancePath:instancePath+"/weight_decay",schemaPath:"#/properties/weight_decay/minimum",keyword:"minimum",params:{comparison:">=",
limit:0}};vErrors===null?vErrors=[err84]:vErrors.push(err84),errors++}}else{const err85={instancePath:instancePath+"/weight_decay",schemaPath:"#/properties/weig\
ht_decay/type",keyword:"type",params:{type:"number"}};vErrors===null?vErrors=[err85]:vErrors.push(err85),errors++}}if(data.kl!==void 0){let data44=data.kl;if(typeof data44==
"number"){if(data44<0||isNaN(data44)){const err86={instancePath:instancePath+"/kl",schemaPath:"#/properties/kl/minimum",keyword:"minimum",params:{comparison:">=",
limit:0}};vErrors===null?vErrors=[err86]:vErrors.push(err86),errors++}}else{const err87={instancePath:instancePath+"/kl",schemaPath:"#/properties/kl/type",keyword:"\
type",params:{type:"number"}};vErrors===null?vErrors=[err87]:vErrors.push(err87),errors++}}if(data.clip!==void 0){let data45=data.clip;if(typeof data45=="number"){
if(data45<=0||isNaN(data45)){const err88={instancePath:instancePath+"/clip",schemaPath:"#/properties/clip/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:"\
>",limit:0}};vErrors===null?vErrors=[err88]:vErrors.push(err88),errors++}}else{const err89={instancePath:instancePath+"/clip",schemaPath:"#/properties/clip/type",
keyword:"type",params:{type:"number"}};vErrors===null?vErrors=[err89]:vErrors.push(err89),errors++}}if(data.clip_high!==void 0){let data46=data.clip_high;if(typeof data46==
"number"){if(data46<=0||isNaN(data46)){const err90={instancePath:instancePath+"/clip_high",schemaPath:"#/properties/clip_high/exclusiveMinimum",keyword:"exclusi\
veMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err90]:vErrors.push(err90),errors++}}else{const err91={instancePath:instancePath+"/clip_high",
schemaPath:"#/properties/clip_high/type",keyword:"type",params:{type:"number"}};vErrors===null?vErrors=[err91]:vErrors.push(err91),errors++}}if(data.estimator!==
void 0){let data47=data.estimator;if(typeof data47!="string"){const err92={instancePath:instancePath+"/estimator",schemaPath:"#/properties/estimator/type",keyword:"\
type",params:{type:"string"}};vErrors===null?vErrors=[err92]:vErrors.push(err92),errors++}if(!(data47==="grpo"||data47==="step_wise"||data47==="rloo")){const err93={
instancePath:instancePath+"/estimator",schemaPath:"#/properties/estimator/enum",keyword:"enum",params:{allowedValues:schema70.properties.estimator.enum}};vErrors===
null?vErrors=[err93]:vErrors.push(err93),errors++}}if(data.temperature!==void 0){let data48=data.temperature;if(typeof data48=="number"){if(data48>2||isNaN(data48)){
const err94={instancePath:instancePath+"/temperature",schemaPath:"#/properties/temperature/maximum",keyword:"maximum",params:{comparison:"<=",limit:2}};vErrors===
null?vErrors=[err94]:vErrors.push(err94),errors++}if(data48<0||isNaN(data48)){const err95={instancePath:instancePath+"/temperature",schemaPath:"#/properties/tem\
perature/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err95]:vErrors.push(err95),errors++}}else{const err96={instancePath:instancePath+
"/temperature",schemaPath:"#/properties/temperature/type",keyword:"type",params:{type:"number"}};vErrors===null?vErrors=[err96]:vErrors.push(err96),errors++}}if(data.
top_p!==void 0){let data49=data.top_p;if(typeof data49=="number"){if(data49>1||isNaN(data49)){const err97={instancePath:instancePath+"/top_p",schemaPath:"#/prop\
erties/top_p/maximum",keyword:"maximum",params:{comparison:"<=",limit:1}};vErrors===null?vErrors=[err97]:vErrors.push(err97),errors++}if(data49<=0||isNaN(data49)){
const err98={instancePath:instancePath+"/top_p",schemaPath:"#/properties/top_p/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===
null?vErrors=[err98]:vErrors.push(err98),errors++}}else{const err99={instancePath:instancePath+"/top_p",schemaPath:"#/properties/top_p/type",keyword:"type",params:{
type:"number"}};vErrors===null?vErrors=[err99]:vErrors.push(err99),errors++}}if(data.max_prompt!==void 0){let data50=data.max_prompt;if(!(typeof data50=="number"&&
!(data50%1)&&!isNaN(data50))){const err100={instancePath:instancePath+"/max_prompt",schemaPath:"#/properties/max_prompt/type",keyword:"type",params:{type:"integ\
er"}};vErrors===null?vErrors=[err100]:vErrors.push(err100),errors++}if(typeof data50=="number"&&(data50<1||isNaN(data50))){const err101={instancePath:instancePath+
"/max_prompt",schemaPath:"#/properties/max_prompt/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err101]:vErrors.push(err101),
errors++}}if(data.max_context!==void 0){let data51=data.max_context;if(!(typeof data51=="number"&&!(data51%1)&&!isNaN(data51))){const err102={instancePath:instancePath+
"/max_context",schemaPath:"#/properties/max_context/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err102]:vErrors.push(err102),errors++}
if(typeof data51=="number"&&(data51<1||isNaN(data51))){const err103={instancePath:instancePath+"/max_context",schemaPath:"#/properties/max_context/minimum",keyword:"\
minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err103]:vErrors.push(err103),errors++}}if(data.max_response!==void 0){let data52=data.max_response;
if(!(typeof data52=="number"&&!(data52%1)&&!isNaN(data52))){const err104={instancePath:instancePath+"/max_response",schemaPath:"#/properties/max_response/type",
keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err104]:vErrors.push(err104),errors++}if(typeof data52=="number"&&(data52<1||isNaN(data52))){const err105={
instancePath:instancePath+"/max_response",schemaPath:"#/properties/max_response/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=
[err105]:vErrors.push(err105),errors++}}if(data.seed!==void 0){let data53=data.seed;if(!(typeof data53=="number"&&!(data53%1)&&!isNaN(data53))){const err106={instancePath:instancePath+
"/seed",schemaPath:"#/properties/seed/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err106]:vErrors.push(err106),errors++}if(typeof data53==
"number"&&(data53<0||isNaN(data53))){const err107={instancePath:instancePath+"/seed",schemaPath:"#/properties/seed/minimum",keyword:"minimum",params:{comparison:"\
>=",limit:0}};vErrors===null?vErrors=[err107]:vErrors.push(err107),errors++}}if(data.engine_gpus!==void 0){let data54=data.engine_gpus;if(!(typeof data54=="numb\
er"&&!(data54%1)&&!isNaN(data54))){const err108={instancePath:instancePath+"/engine_gpus",schemaPath:"#/properties/engine_gpus/type",keyword:"type",params:{type:"\
integer"}};vErrors===null?vErrors=[err108]:vErrors.push(err108),errors++}if(typeof data54=="number"&&(data54<1||isNaN(data54))){const err109={instancePath:instancePath+
"/engine_gpus",schemaPath:"#/properties/engine_gpus/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err109]:vErrors.push(err109),
errors++}}if(data.memory_fraction!==void 0){let data55=data.memory_fraction;if(typeof data55=="number"){if(data55>1||isNaN(data55)){const err110={instancePath:instancePath+
"/memory_fraction",schemaPath:"#/properties/memory_fraction/maximum",keyword:"maximum",params:{comparison:"<=",limit:1}};vErrors===null?vErrors=[err110]:vErrors.
push(err110),errors++}if(data55<=0||isNaN(data55)){const err111={instancePath:instancePath+"/memory_fraction",schemaPath:"#/properties/memory_fraction/exclusive\
Minimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err111]:vErrors.push(err111),errors++}}else{const err112={instancePath:instancePath+
"/memory_fraction",schemaPath:"#/properties/memory_fraction/type",keyword:"type",params:{type:"number"}};vErrors===null?vErrors=[err112]:vErrors.push(err112),errors++}}
if(data.context_parallel!==void 0){let data56=data.context_parallel;if(!(typeof data56=="number"&&!(data56%1)&&!isNaN(data56))){const err113={instancePath:instancePath+
"/context_parallel",schemaPath:"#/properties/context_parallel/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err113]:vErrors.push(err113),
errors++}if(typeof data56=="number"&&(data56<1||isNaN(data56))){const err114={instancePath:instancePath+"/context_parallel",schemaPath:"#/properties/context_par\
allel/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err114]:vErrors.push(err114),errors++}}if(data.colocate!==void 0&&typeof data.
colocate!="boolean"){const err115={instancePath:instancePath+"/colocate",schemaPath:"#/properties/colocate/type",keyword:"type",params:{type:"boolean"}};vErrors===
null?vErrors=[err115]:vErrors.push(err115),errors++}if(data.actor_gpus!==void 0){let data58=data.actor_gpus;if(!(typeof data58=="number"&&!(data58%1)&&!isNaN(data58))){
const err116={instancePath:instancePath+"/actor_gpus",schemaPath:"#/properties/actor_gpus/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[
err116]:vErrors.push(err116),errors++}if(typeof data58=="number"&&(data58<1||isNaN(data58))){const err117={instancePath:instancePath+"/actor_gpus",schemaPath:"#\
/properties/actor_gpus/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err117]:vErrors.push(err117),errors++}}if(data.rollout_gpus!==
void 0){let data59=data.rollout_gpus;if(!(typeof data59=="number"&&!(data59%1)&&!isNaN(data59))){const err118={instancePath:instancePath+"/rollout_gpus",schemaPath:"\
#/properties/rollout_gpus/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err118]:vErrors.push(err118),errors++}if(typeof data59=="number"&&
(data59<1||isNaN(data59))){const err119={instancePath:instancePath+"/rollout_gpus",schemaPath:"#/properties/rollout_gpus/minimum",keyword:"minimum",params:{comparison:"\
>=",limit:1}};vErrors===null?vErrors=[err119]:vErrors.push(err119),errors++}}if(data.flavor!==void 0){let data60=data.flavor;if(typeof data60!="string"){const err120={
instancePath:instancePath+"/flavor",schemaPath:"#/properties/flavor/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err120]:vErrors.push(err120),
errors++}if(!(data60==="minisandbox"||data60==="unified")){const err121={instancePath:instancePath+"/flavor",schemaPath:"#/properties/flavor/enum",keyword:"enum",
params:{allowedValues:schema70.properties.flavor.enum}};vErrors===null?vErrors=[err121]:vErrors.push(err121),errors++}}if(data.steps!==void 0){let data61=data.steps;
if(!(typeof data61=="number"&&!(data61%1)&&!isNaN(data61))){const err122={instancePath:instancePath+"/steps",schemaPath:"#/properties/steps/type",keyword:"type",
params:{type:"integer"}};vErrors===null?vErrors=[err122]:vErrors.push(err122),errors++}if(typeof data61=="number"&&(data61<1||isNaN(data61))){const err123={instancePath:instancePath+
"/steps",schemaPath:"#/properties/steps/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err123]:vErrors.push(err123),errors++}}
if(data.max_tokens_per_gpu!==void 0){let data62=data.max_tokens_per_gpu;if(!(typeof data62=="number"&&!(data62%1)&&!isNaN(data62))){const err124={instancePath:instancePath+
"/max_tokens_per_gpu",schemaPath:"#/properties/max_tokens_per_gpu/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err124]:vErrors.push(err124),
errors++}if(typeof data62=="number"&&(data62<1||isNaN(data62))){const err125={instancePath:instancePath+"/max_tokens_per_gpu",schemaPath:"#/properties/max_token\
s_per_gpu/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err125]:vErrors.push(err125),errors++}}if(data.reward!==void 0){let data63=data.
reward;if(typeof data63=="string"){if(!pattern2.test(data63)){const err126={instancePath:instancePath+"/reward",schemaPath:"#/properties/reward/pattern",keyword:"\
pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err126]:vErrors.push(err126),errors++}}else{const err127={instancePath:instancePath+"/reward",schemaPath:"\
#/properties/reward/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err127]:vErrors.push(err127),errors++}}if(data.module!==void 0){let data64=data.
module;if(typeof data64=="string"){if(!pattern2.test(data64)){const err128={instancePath:instancePath+"/module",schemaPath:"#/properties/module/pattern",keyword:"\
pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err128]:vErrors.push(err128),errors++}}else{const err129={instancePath:instancePath+"/module",schemaPath:"\
#/properties/module/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err129]:vErrors.push(err129),errors++}}if(data.mode!==void 0){let data65=data.
mode;if(typeof data65!="string"){const err130={instancePath:instancePath+"/mode",schemaPath:"#/properties/mode/type",keyword:"type",params:{type:"string"}};vErrors===
null?vErrors=[err130]:vErrors.push(err130),errors++}if(!(data65==="bridge"||data65==="raw")){const err131={instancePath:instancePath+"/mode",schemaPath:"#/prope\
rties/mode/enum",keyword:"enum",params:{allowedValues:schema70.properties.mode.enum}};vErrors===null?vErrors=[err131]:vErrors.push(err131),errors++}}if(data.model_args!==
void 0){let data66=data.model_args;if(typeof data66=="string"){if(!pattern2.test(data66)){const err132={instancePath:instancePath+"/model_args",schemaPath:"#/pr\
operties/model_args/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err132]:vErrors.push(err132),errors++}}else{const err133={instancePath:instancePath+
"/model_args",schemaPath:"#/properties/model_args/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err133]:vErrors.push(err133),errors++}}if(data.
megatron!==void 0){let data67=data.megatron;if(typeof data67=="string"){if(!pattern2.test(data67)){const err134={instancePath:instancePath+"/megatron",schemaPath:"\
#/properties/megatron/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err134]:vErrors.push(err134),errors++}}else{const err135={instancePath:instancePath+
"/megatron",schemaPath:"#/properties/megatron/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err135]:vErrors.push(err135),errors++}}if(data.
ray_address!==void 0){let data68=data.ray_address;if(typeof data68=="string"){if(!pattern2.test(data68)){const err136={instancePath:instancePath+"/ray_address",
schemaPath:"#/properties/ray_address/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err136]:vErrors.push(err136),errors++}}else{const err137={
instancePath:instancePath+"/ray_address",schemaPath:"#/properties/ray_address/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err137]:vErrors.
push(err137),errors++}}if(data.tensor_parallel!==void 0){let data69=data.tensor_parallel;if(!(typeof data69=="number"&&!(data69%1)&&!isNaN(data69))){const err138={
instancePath:instancePath+"/tensor_parallel",schemaPath:"#/properties/tensor_parallel/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err138]:
vErrors.push(err138),errors++}if(typeof data69=="number"&&(data69<1||isNaN(data69))){const err139={instancePath:instancePath+"/tensor_parallel",schemaPath:"#/pr\
operties/tensor_parallel/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err139]:vErrors.push(err139),errors++}}if(data.pipeline_parallel!==
void 0){let data70=data.pipeline_parallel;if(!(typeof data70=="number"&&!(data70%1)&&!isNaN(data70))){const err140={instancePath:instancePath+"/pipeline_paralle\
l",schemaPath:"#/properties/pipeline_parallel/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err140]:vErrors.push(err140),errors++}if(typeof data70==
"number"&&(data70<1||isNaN(data70))){const err141={instancePath:instancePath+"/pipeline_parallel",schemaPath:"#/properties/pipeline_parallel/minimum",keyword:"m\
inimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err141]:vErrors.push(err141),errors++}}if(data.dynamic_history!==void 0&&typeof data.dynamic_history!=
"boolean"){const err142={instancePath:instancePath+"/dynamic_history",schemaPath:"#/properties/dynamic_history/type",keyword:"type",params:{type:"boolean"}};vErrors===
null?vErrors=[err142]:vErrors.push(err142),errors++}if(data.prm!==void 0){let data72=data.prm;if(data72&&typeof data72=="object"&&!Array.isArray(data72)){for(const key7 in data72)
if(!(key7==="model"||key7==="gpus"||key7==="engine_gpus"||key7==="votes"||key7==="coefficient"||key7==="temperature"||key7==="max_tokens")){const err143={instancePath:instancePath+
"/prm",schemaPath:"#/properties/prm/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key7}};vErrors===null?vErrors=[err143]:vErrors.
push(err143),errors++}if(data72.model!==void 0){let data73=data72.model;if(typeof data73=="string"){if(!pattern2.test(data73)){const err144={instancePath:instancePath+
"/prm/model",schemaPath:"#/properties/prm/properties/model/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err144]:vErrors.push(err144),
errors++}}else{const err145={instancePath:instancePath+"/prm/model",schemaPath:"#/properties/prm/properties/model/type",keyword:"type",params:{type:"string"}};vErrors===
null?vErrors=[err145]:vErrors.push(err145),errors++}}if(data72.gpus!==void 0){let data74=data72.gpus;if(!(typeof data74=="number"&&!(data74%1)&&!isNaN(data74))){
const err146={instancePath:instancePath+"/prm/gpus",schemaPath:"#/properties/prm/properties/gpus/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=
[err146]:vErrors.push(err146),errors++}if(typeof data74=="number"&&(data74<1||isNaN(data74))){const err147={instancePath:instancePath+"/prm/gpus",schemaPath:"#/\
properties/prm/properties/gpus/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err147]:vErrors.push(err147),errors++}}if(data72.
engine_gpus!==void 0){let data75=data72.engine_gpus;if(!(typeof data75=="number"&&!(data75%1)&&!isNaN(data75))){const err148={instancePath:instancePath+"/prm/en\
gine_gpus",schemaPath:"#/properties/prm/properties/engine_gpus/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err148]:vErrors.push(err148),
errors++}if(typeof data75=="number"&&(data75<1||isNaN(data75))){const err149={instancePath:instancePath+"/prm/engine_gpus",schemaPath:"#/properties/prm/properti\
es/engine_gpus/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err149]:vErrors.push(err149),errors++}}if(data72.votes!==void 0){
let data76=data72.votes;if(!(typeof data76=="number"&&!(data76%1)&&!isNaN(data76))){const err150={instancePath:instancePath+"/prm/votes",schemaPath:"#/propertie\
s/prm/properties/votes/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err150]:vErrors.push(err150),errors++}if(typeof data76=="number"&&(data76<
1||isNaN(data76))){const err151={instancePath:instancePath+"/prm/votes",schemaPath:"#/properties/prm/properties/votes/minimum",keyword:"minimum",params:{comparison:"\
>=",limit:1}};vErrors===null?vErrors=[err151]:vErrors.push(err151),errors++}}if(data72.coefficient!==void 0){let data77=data72.coefficient;if(typeof data77=="nu\
mber"){if(data77<0||isNaN(data77)){const err152={instancePath:instancePath+"/prm/coefficient",schemaPath:"#/properties/prm/properties/coefficient/minimum",keyword:"\
minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err152]:vErrors.push(err152),errors++}}else{const err153={instancePath:instancePath+"/prm/coe\
fficient",schemaPath:"#/properties/prm/properties/coefficient/type",keyword:"type",params:{type:"number"}};vErrors===null?vErrors=[err153]:vErrors.push(err153),
errors++}}if(data72.temperature!==void 0){let data78=data72.temperature;if(typeof data78=="number"){if(data78>2||isNaN(data78)){const err154={instancePath:instancePath+
"/prm/temperature",schemaPath:"#/properties/prm/properties/temperature/maximum",keyword:"maximum",params:{comparison:"<=",limit:2}};vErrors===null?vErrors=[err154]:
vErrors.push(err154),errors++}if(data78<0||isNaN(data78)){const err155={instancePath:instancePath+"/prm/temperature",schemaPath:"#/properties/prm/properties/tem\
perature/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err155]:vErrors.push(err155),errors++}}else{const err156={instancePath:instancePath+
"/prm/temperature",schemaPath:"#/properties/prm/properties/temperature/type",keyword:"type",params:{type:"number"}};vErrors===null?vErrors=[err156]:vErrors.push(
err156),errors++}}if(data72.max_tokens!==void 0){let data79=data72.max_tokens;if(!(typeof data79=="number"&&!(data79%1)&&!isNaN(data79))){const err157={instancePath:instancePath+
"/prm/max_tokens",schemaPath:"#/properties/prm/properties/max_tokens/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err157]:vErrors.push(
err157),errors++}if(typeof data79=="number"&&(data79<1||isNaN(data79))){const err158={instancePath:instancePath+"/prm/max_tokens",schemaPath:"#/properties/prm/p\
roperties/max_tokens/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err158]:vErrors.push(err158),errors++}}}else{const err159={
instancePath:instancePath+"/prm",schemaPath:"#/properties/prm/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err159]:vErrors.push(err159),
errors++}}}else{const err160={instancePath,schemaPath:"#/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err160]:vErrors.push(err160),errors++}
return validate44.errors=vErrors,errors===0}function validate39(data,{instancePath="",parentData,parentDataProperty,rootData=data}={}){let vErrors=null,errors=0;
if(data&&typeof data=="object"&&!Array.isArray(data)){for(const key0 in data)if(!(key0==="sft"||key0==="rl")){const err0={instancePath,schemaPath:"#/additionalP\
roperties",keyword:"additionalProperties",params:{additionalProperty:key0}};vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}data.sft!==void 0&&(validate40(
data.sft,{instancePath:instancePath+"/sft",parentData:data,parentDataProperty:"sft",rootData})||(vErrors=vErrors===null?validate40.errors:vErrors.concat(validate40.
errors),errors=vErrors.length)),data.rl!==void 0&&(validate44(data.rl,{instancePath:instancePath+"/rl",parentData:data,parentDataProperty:"rl",rootData})||(vErrors=
vErrors===null?validate44.errors:vErrors.concat(validate44.errors),errors=vErrors.length))}else{const err1={instancePath,schemaPath:"#/type",keyword:"type",params:{
type:"object"}};vErrors===null?vErrors=[err1]:vErrors.push(err1),errors++}return validate39.errors=vErrors,errors===0}const schema74={type:"object",additionalProperties:!1,
required:["dataset"],properties:{dataset:{type:"string"},models:{type:"object",minProperties:1,propertyNames:{$ref:"#/definitions/id"},additionalProperties:{$ref:"\
#/definitions/modelOverrides"}},predictions:{type:"object",propertyNames:{$ref:"#/definitions/id"},additionalProperties:{type:"array",items:{type:"string",pattern:"\
\\S"},minItems:1}},deployment:{type:"string"},agent:{$ref:"#/definitions/agentOverrides"},harness:{type:"string",enum:["native","swebench"]},command:{type:"stri\
ng"},workers:{type:"integer",minimum:1},timeout:{allOf:[{$ref:"#/definitions/duration"}]}}},schema76={type:"object",additionalProperties:!1,properties:{base_url:{
type:"string",pattern:"^https?://"},name:{type:"string",pattern:"\\S"},identity:{type:"string",pattern:"\\S"},api_key:{type:"string"},temperature:{type:"number",
minimum:0,maximum:2},top_p:{type:"number",exclusiveMinimum:0,maximum:1},top_k:{type:"integer",minimum:-1},min_p:{type:"number",minimum:0,maximum:1},repetition_penalty:{
type:"number",exclusiveMinimum:0},stop:{type:"array",items:{type:"string",pattern:"[\\s\\S]"}},max_tokens:{type:"integer",minimum:1},extra:{type:"object",additionalProperties:!0},
tokens:{type:"string",enum:["auto","off"]},tool_format:{type:"string",enum:["hermes","qwen3-coder","llama3-json","mistral","glm4","kimi-k2","gpt-oss"]},render:{
type:"string",enum:["chat","exact"]},tokenizer:{type:"string",pattern:"\\S"},context:{type:"integer",minimum:256},timeout:{allOf:[{$ref:"#/definitions/duration"}]},
retry:{allOf:[{$ref:"#/definitions/duration"}]},concurrency:{type:"integer",minimum:1},prices:{type:"string",pattern:"\\S"},serve:{type:"object",additionalProperties:!1,
properties:{engine:{type:"string",enum:["vllm","sglang","llama.cpp"]},command:{type:"string",pattern:"\\S"},weights:{type:"object",additionalProperties:!1,properties:{
id:{type:"string",pattern:"^[A-Za-z0-9][\\w.-]*/[\\w.-]+$"},revision:{type:"string",pattern:"\\S"},path:{type:"string",pattern:"\\S"}}},deployment:{type:"string",
pattern:"\\S"},gpus:{type:"integer",minimum:0},replicas:{type:"integer",minimum:1},hosts:{type:"array",minItems:1,uniqueItems:!0,items:{type:"string",pattern:"^\
[A-Za-z0-9_][\\w.@-]*$"}},port:{type:"integer",minimum:1,maximum:65535},args:{type:"array",items:{type:"string"}},env:{type:"object",propertyNames:{type:"string",
pattern:"^[A-Za-z_][A-Za-z0-9_]*$"},additionalProperties:{type:"string"}},ready:{type:"string",pattern:"^/"},timeout:{allOf:[{$ref:"#/definitions/duration"}]},hang:{
allOf:[{$ref:"#/definitions/duration"}]}}},from:{type:"string",enum:["sft","rl"]}}};function validate49(data,{instancePath="",parentData,parentDataProperty,rootData=data}={}){
let vErrors=null,errors=0;if(data&&typeof data=="object"&&!Array.isArray(data)){for(const key0 in data)if(!func2.call(schema76.properties,key0)){const err0={instancePath,
schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key0}};vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}if(data.
base_url!==void 0){let data0=data.base_url;if(typeof data0=="string"){if(!pattern61.test(data0)){const err1={instancePath:instancePath+"/base_url",schemaPath:"#\
/properties/base_url/pattern",keyword:"pattern",params:{pattern:"^https?://"}};vErrors===null?vErrors=[err1]:vErrors.push(err1),errors++}}else{const err2={instancePath:instancePath+
"/base_url",schemaPath:"#/properties/base_url/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err2]:vErrors.push(err2),errors++}}if(data.name!==
void 0){let data1=data.name;if(typeof data1=="string"){if(!pattern2.test(data1)){const err3={instancePath:instancePath+"/name",schemaPath:"#/properties/name/pat\
tern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}}else{const err4={instancePath:instancePath+"/name",schemaPath:"\
#/properties/name/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err4]:vErrors.push(err4),errors++}}if(data.identity!==void 0){let data2=data.
identity;if(typeof data2=="string"){if(!pattern2.test(data2)){const err5={instancePath:instancePath+"/identity",schemaPath:"#/properties/identity/pattern",keyword:"\
pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err5]:vErrors.push(err5),errors++}}else{const err6={instancePath:instancePath+"/identity",schemaPath:"#\
/properties/identity/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err6]:vErrors.push(err6),errors++}}if(data.api_key!==void 0&&typeof data.
api_key!="string"){const err7={instancePath:instancePath+"/api_key",schemaPath:"#/properties/api_key/type",keyword:"type",params:{type:"string"}};vErrors===null?
vErrors=[err7]:vErrors.push(err7),errors++}if(data.temperature!==void 0){let data4=data.temperature;if(typeof data4=="number"){if(data4>2||isNaN(data4)){const err8={
instancePath:instancePath+"/temperature",schemaPath:"#/properties/temperature/maximum",keyword:"maximum",params:{comparison:"<=",limit:2}};vErrors===null?vErrors=
[err8]:vErrors.push(err8),errors++}if(data4<0||isNaN(data4)){const err9={instancePath:instancePath+"/temperature",schemaPath:"#/properties/temperature/minimum",
keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err9]:vErrors.push(err9),errors++}}else{const err10={instancePath:instancePath+"/tem\
perature",schemaPath:"#/properties/temperature/type",keyword:"type",params:{type:"number"}};vErrors===null?vErrors=[err10]:vErrors.push(err10),errors++}}if(data.
top_p!==void 0){let data5=data.top_p;if(typeof data5=="number"){if(data5>1||isNaN(data5)){const err11={instancePath:instancePath+"/top_p",schemaPath:"#/properti\
es/top_p/maximum",keyword:"maximum",params:{comparison:"<=",limit:1}};vErrors===null?vErrors=[err11]:vErrors.push(err11),errors++}if(data5<=0||isNaN(data5)){const err12={
instancePath:instancePath+"/top_p",schemaPath:"#/properties/top_p/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=
[err12]:vErrors.push(err12),errors++}}else{const err13={instancePath:instancePath+"/top_p",schemaPath:"#/properties/top_p/type",keyword:"type",params:{type:"num\
ber"}};vErrors===null?vErrors=[err13]:vErrors.push(err13),errors++}}if(data.top_k!==void 0){let data6=data.top_k;if(!(typeof data6=="number"&&!(data6%1)&&!isNaN(
data6))){const err14={instancePath:instancePath+"/top_k",schemaPath:"#/properties/top_k/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err14]:
vErrors.push(err14),errors++}if(typeof data6=="number"&&(data6<-1||isNaN(data6))){const err15={instancePath:instancePath+"/top_k",schemaPath:"#/properties/top_k\
/minimum",keyword:"minimum",params:{comparison:">=",limit:-1}};vErrors===null?vErrors=[err15]:vErrors.push(err15),errors++}}if(data.min_p!==void 0){let data7=data.
min_p;if(typeof data7=="number"){if(data7>1||isNaN(data7)){const err16={instancePath:instancePath+"/min_p",schemaPath:"#/properties/min_p/maximum",keyword:"maxi\
mum",params:{comparison:"<=",limit:1}};vErrors===null?vErrors=[err16]:vErrors.push(err16),errors++}if(data7<0||isNaN(data7)){const err17={instancePath:instancePath+
"/min_p",schemaPath:"#/properties/min_p/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err17]:vErrors.push(err17),errors++}}else{
const err18={instancePath:instancePath+"/min_p",schemaPath:"#/properties/min_p/type",keyword:"type",params:{type:"number"}};vErrors===null?vErrors=[err18]:vErrors.
push(err18),errors++}}if(data.repetition_penalty!==void 0){let data8=data.repetition_penalty;if(typeof data8=="number"){if(data8<=0||isNaN(data8)){const err19={
instancePath:instancePath+"/repetition_penalty",schemaPath:"#/properties/repetition_penalty/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",
limit:0}};vErrors===null?vErrors=[err19]:vErrors.push(err19),errors++}}else{const err20={instancePath:instancePath+"/repetition_penalty",schemaPath:"#/propertie\
s/repetition_penalty/type",keyword:"type",params:{type:"number"}};vErrors===null?vErrors=[err20]:vErrors.push(err20),errors++}}if(data.stop!==void 0){let data9=data.
stop;if(Array.isArray(data9)){const len0=data9.length;for(let i0=0;i0<len0;i0++){let data10=data9[i0];if(typeof data10=="string"){if(!pattern64.test(data10)){const err21={
instancePath:instancePath+"/stop/"+i0,schemaPath:"#/properties/stop/items/pattern",keyword:"pattern",params:{pattern:"[\\s\\S]"}};vErrors===null?vErrors=[err21]:
vErrors.push(err21),errors++}}else{const err22={instancePath:instancePath+"/stop/"+i0,schemaPath:"#/properties/stop/items/type",keyword:"type",params:{type:"str\
ing"}};vErrors===null?vErrors=[err22]:vErrors.push(err22),errors++}}}else{const err23={instancePath:instancePath+"/stop",schemaPath:"#/properties/stop/type",keyword:"\
type",params:{type:"array"}};vErrors===null?vErrors=[err23]:vErrors.push(err23),errors++}}if(data.max_tokens!==void 0){let data11=data.max_tokens;if(!(typeof data11==
"number"&&!(data11%1)&&!isNaN(data11))){const err24={instancePath:instancePath+"/max_tokens",schemaPath:"#/properties/max_tokens/type",keyword:"type",params:{type:"\
integer"}};vErrors===null?vErrors=[err24]:vErrors.push(err24),errors++}if(typeof data11=="number"&&(data11<1||isNaN(data11))){const err25={instancePath:instancePath+
"/max_tokens",schemaPath:"#/properties/max_tokens/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err25]:vErrors.push(err25),
errors++}}if(data.extra!==void 0){let data12=data.extra;if(!(data12&&typeof data12=="object"&&!Array.isArray(data12))){const err26={instancePath:instancePath+"/\
extra",schemaPath:"#/properties/extra/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err26]:vErrors.push(err26),errors++}}if(data.tokens!==
void 0){let data13=data.tokens;if(typeof data13!="string"){const err27={instancePath:instancePath+"/tokens",schemaPath:"#/properties/tokens/type",keyword:"type",
params:{type:"string"}};vErrors===null?vErrors=[err27]:vErrors.push(err27),errors++}if(!(data13==="auto"||data13==="off")){const err28={instancePath:instancePath+
"/tokens",schemaPath:"#/properties/tokens/enum",keyword:"enum",params:{allowedValues:schema76.properties.tokens.enum}};vErrors===null?vErrors=[err28]:vErrors.push(
err28),errors++}}if(data.tool_format!==void 0){let data14=data.tool_format;if(typeof data14!="string"){const err29={instancePath:instancePath+"/tool_format",schemaPath:"\
#/properties/tool_format/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err29]:vErrors.push(err29),errors++}if(!(data14==="hermes"||data14===
"qwen3-coder"||data14==="llama3-json"||data14==="mistral"||data14==="glm4"||data14==="kimi-k2"||data14==="gpt-oss")){const err30={instancePath:instancePath+"/to\
ol_format",schemaPath:"#/properties/tool_format/enum",keyword:"enum",params:{allowedValues:schema76.properties.tool_format.enum}};vErrors===null?vErrors=[err30]:
vErrors.push(err30),errors++}}if(data.render!==void 0){let data15=data.render;if(typeof data15!="string"){const err31={instancePath:instancePath+"/render",schemaPath:"\
#/properties/render/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err31]:vErrors.push(err31),errors++}if(!(data15==="chat"||data15==="exa\
ct")){const err32={instancePath:instancePath+"/render",schemaPath:"#/properties/render/enum",keyword:"enum",params:{allowedValues:schema76.properties.render.enum}};
vErrors===null?vErrors=[err32]:vErrors.push(err32),errors++}}if(data.tokenizer!==void 0){let data16=data.tokenizer;if(typeof data16=="string"){if(!pattern2.test(
data16)){const err33={instancePath:instancePath+"/tokenizer",schemaPath:"#/properties/tokenizer/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?
vErrors=[err33]:vErrors.push(err33),errors++}}else{const err34={instancePath:instancePath+"/tokenizer",schemaPath:"#/properties/tokenizer/type",keyword:"type",params:{
type:"string"}};vErrors===null?vErrors=[err34]:vErrors.push(err34),errors++}}if(data.context!==void 0){let data17=data.context;if(!(typeof data17=="number"&&!(data17%
1)&&!isNaN(data17))){const err35={instancePath:instancePath+"/context",schemaPath:"#/properties/context/type",keyword:"type",params:{type:"integer"}};vErrors===
null?vErrors=[err35]:vErrors.push(err35),errors++}if(typeof data17=="number"&&(data17<256||isNaN(data17))){const err36={instancePath:instancePath+"/context",schemaPath:"\
#/properties/context/minimum",keyword:"minimum",params:{comparison:">=",limit:256}};vErrors===null?vErrors=[err36]:vErrors.push(err36),errors++}}if(data.timeout!==
void 0){let data18=data.timeout;if(typeof data18!="string"&&typeof data18!="number"){const err37={instancePath:instancePath+"/timeout",schemaPath:"#/definitions\
/duration/type",keyword:"type",params:{type:schema29.type}};vErrors===null?vErrors=[err37]:vErrors.push(err37),errors++}if(typeof data18=="number"&&(data18<=0||
isNaN(data18))){const err38={instancePath:instancePath+"/timeout",schemaPath:"#/definitions/duration/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:"\
>",limit:0}};vErrors===null?vErrors=[err38]:vErrors.push(err38),errors++}if(typeof data18=="string"&&!pattern34.test(data18)){const err39={instancePath:instancePath+
"/timeout",schemaPath:"#/definitions/duration/pattern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===null?vErrors=[err39]:vErrors.
push(err39),errors++}}if(data.retry!==void 0){let data19=data.retry;if(typeof data19!="string"&&typeof data19!="number"){const err40={instancePath:instancePath+
"/retry",schemaPath:"#/definitions/duration/type",keyword:"type",params:{type:schema29.type}};vErrors===null?vErrors=[err40]:vErrors.push(err40),errors++}if(typeof data19==
"number"&&(data19<=0||isNaN(data19))){const err41={instancePath:instancePath+"/retry",schemaPath:"#/definitions/duration/exclusiveMinimum",keyword:"exclusiveMin\
imum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err41]:vErrors.push(err41),errors++}if(typeof data19=="string"&&!pattern34.test(data19)){const err42={
instancePath:instancePath+"/retry",schemaPath:"#/definitions/duration/pattern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===
null?vErrors=[err42]:vErrors.push(err42),errors++}}if(data.concurrency!==void 0){let data20=data.concurrency;if(!(typeof data20=="number"&&!(data20%1)&&!isNaN(data20))){
const err43={instancePath:instancePath+"/concurrency",schemaPath:"#/properties/concurrency/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=
[err43]:vErrors.push(err43),errors++}if(typeof data20=="number"&&(data20<1||isNaN(data20))){const err44={instancePath:instancePath+"/concurrency",schemaPath:"#/\
properties/concurrency/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err44]:vErrors.push(err44),errors++}}if(data.prices!==
void 0){let data21=data.prices;if(typeof data21=="string"){if(!pattern2.test(data21)){const err45={instancePath:instancePath+"/prices",schemaPath:"#/properties/\
prices/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err45]:vErrors.push(err45),errors++}}else{const err46={instancePath:instancePath+
"/prices",schemaPath:"#/properties/prices/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err46]:vErrors.push(err46),errors++}}if(data.serve!==
void 0){let data22=data.serve;if(data22&&typeof data22=="object"&&!Array.isArray(data22)){for(const key1 in data22)if(!func2.call(schema76.properties.serve.properties,
key1)){const err47={instancePath:instancePath+"/serve",schemaPath:"#/properties/serve/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key1}};
vErrors===null?vErrors=[err47]:vErrors.push(err47),errors++}if(data22.engine!==void 0){let data23=data22.engine;if(typeof data23!="string"){const err48={instancePath:instancePath+
"/serve/engine",schemaPath:"#/properties/serve/properties/engine/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err48]:vErrors.push(err48),
errors++}if(!(data23==="vllm"||data23==="sglang"||data23==="llama.cpp")){const err49={instancePath:instancePath+"/serve/engine",schemaPath:"#/properties/serve/p\
roperties/engine/enum",keyword:"enum",params:{allowedValues:schema76.properties.serve.properties.engine.enum}};vErrors===null?vErrors=[err49]:vErrors.push(err49),
errors++}}if(data22.command!==void 0){let data24=data22.command;if(typeof data24=="string"){if(!pattern2.test(data24)){const err50={instancePath:instancePath+"/\
serve/command",schemaPath:"#/properties/serve/properties/command/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err50]:vErrors.push(
err50),errors++}}else{const err51={instancePath:instancePath+"/serve/command",schemaPath:"#/properties/serve/properties/command/type",keyword:"type",params:{type:"\
string"}};vErrors===null?vErrors=[err51]:vErrors.push(err51),errors++}}if(data22.weights!==void 0){let data25=data22.weights;if(data25&&typeof data25=="object"&&
!Array.isArray(data25)){for(const key2 in data25)if(!(key2==="id"||key2==="revision"||key2==="path")){const err52={instancePath:instancePath+"/serve/weights",schemaPath:"\
#/properties/serve/properties/weights/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key2}};vErrors===null?vErrors=[err52]:vErrors.
push(err52),errors++}if(data25.id!==void 0){let data26=data25.id;if(typeof data26=="string"){if(!pattern70.test(data26)){const err53={instancePath:instancePath+
"/serve/weights/id",schemaPath:"#/properties/serve/properties/weights/properties/id/pattern",keyword:"pattern",params:{pattern:"^[A-Za-z0-9][\\w.-]*/[\\w.-]+$"}};
vErrors===null?vErrors=[err53]:vErrors.push(err53),errors++}}else{const err54={instancePath:instancePath+"/serve/weights/id",schemaPath:"#/properties/serve/prop\
erties/weights/properties/id/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err54]:vErrors.push(err54),errors++}}if(data25.revision!==void 0){
let data27=data25.revision;if(typeof data27=="string"){if(!pattern2.test(data27)){const err55={instancePath:instancePath+"/serve/weights/revision",schemaPath:"#\
/properties/serve/properties/weights/properties/revision/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err55]:vErrors.push(err55),errors++}}else{
const err56={instancePath:instancePath+"/serve/weights/revision",schemaPath:"#/properties/serve/properties/weights/properties/revision/type",keyword:"type",params:{
type:"string"}};vErrors===null?vErrors=[err56]:vErrors.push(err56),errors++}}if(data25.path!==void 0){let data28=data25.path;if(typeof data28=="string"){if(!pattern2.
test(data28)){const err57={instancePath:instancePath+"/serve/weights/path",schemaPath:"#/properties/serve/properties/weights/properties/path/pattern",keyword:"p\
attern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err57]:vErrors.push(err57),errors++}}else{const err58={instancePath:instancePath+"/serve/weights/path",schemaPath:"\
#/properties/serve/properties/weights/properties/path/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err58]:vErrors.push(err58),errors++}}}else{
const err59={instancePath:instancePath+"/serve/weights",schemaPath:"#/properties/serve/properties/weights/type",keyword:"type",params:{type:"object"}};vErrors===
null?vErrors=[err59]:vErrors.push(err59),errors++}}if(data22.deployment!==void 0){let data29=data22.deployment;if(typeof data29=="string"){if(!pattern2.test(data29)){
const err60={instancePath:instancePath+"/serve/deployment",schemaPath:"#/properties/serve/properties/deployment/pattern",keyword:"pattern",params:{pattern:"\\S"}};
vErrors===null?vErrors=[err60]:vErrors.push(err60),errors++}}else{const err61={instancePath:instancePath+"/serve/deployment",schemaPath:"#/properties/serve/prop\
erties/deployment/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err61]:vErrors.push(err61),errors++}}if(data22.gpus!==void 0){let data30=data22.
gpus;if(!(typeof data30=="number"&&!(data30%1)&&!isNaN(data30))){const err62={instancePath:instancePath+"/serve/gpus",schemaPath:"#/properties/serve/properties/\
gpus/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err62]:vErrors.push(err62),errors++}if(typeof data30=="number"&&(data30<0||isNaN(data30))){
const err63={instancePath:instancePath+"/serve/gpus",schemaPath:"#/properties/serve/properties/gpus/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};
vErrors===null?vErrors=[err63]:vErrors.push(err63),errors++}}if(data22.replicas!==void 0){let data31=data22.replicas;if(!(typeof data31=="number"&&!(data31%1)&&
!isNaN(data31))){const err64={instancePath:instancePath+"/serve/replicas",schemaPath:"#/properties/serve/properties/replicas/type",keyword:"type",params:{type:"\
integer"}};vErrors===null?vErrors=[err64]:vErrors.push(err64),errors++}if(typeof data31=="number"&&(data31<1||isNaN(data31))){const err65={instancePath:instancePath+
"/serve/replicas",schemaPath:"#/properties/serve/properties/replicas/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err65]:
vErrors.push(err65),errors++}}if(data22.hosts!==void 0){let data32=data22.hosts;if(Array.isArray(data32)){if(data32.length<1){const err66={instancePath:instancePath+
"/serve/hosts",schemaPath:"#/properties/serve/properties/hosts/minItems",keyword:"minItems",params:{limit:1}};vErrors===null?vErrors=[err66]:vErrors.push(err66),
errors++}const len1=data32.length;for(let i1=0;i1<len1;i1++){let data33=data32[i1];if(typeof data33=="string"){if(!pattern74.test(data33)){const err67={instancePath:instancePath+
"/serve/hosts/"+i1,schemaPath:"#/properties/serve/properties/hosts/items/pattern",keyword:"pattern",params:{pattern:"^[A-Za-z0-9_][\\w.@-]*$"}};vErrors===null?vErrors=
[err67]:vErrors.push(err67),errors++}}else{const err68={instancePath:instancePath+"/serve/hosts/"+i1,schemaPath:"#/properties/serve/properties/hosts/items/type",
keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err68]:vErrors.push(err68),errors++}}let i2=data32.length,j0;if(i2>1){const indices0={};for(;i2--;){
let item0=data32[i2];if(typeof item0=="string"){if(typeof indices0[item0]=="number"){j0=indices0[item0];const err69={instancePath:instancePath+"/serve/hosts",schemaPath:"\
#/properties/serve/properties/hosts/uniqueItems",keyword:"uniqueItems",params:{i:i2,j:j0}};vErrors===null?vErrors=[err69]:vErrors.push(err69),errors++;break}indices0[item0]=
i2}}}}else{const err70={instancePath:instancePath+"/serve/hosts",schemaPath:"#/properties/serve/properties/hosts/type",keyword:"type",params:{type:"array"}};vErrors===
null?vErrors=[err70]:vErrors.push(err70),errors++}}if(data22.port!==void 0){let data34=data22.port;if(!(typeof data34=="number"&&!(data34%1)&&!isNaN(data34))){const err71={
instancePath:instancePath+"/serve/port",schemaPath:"#/properties/serve/properties/port/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err71]:
vErrors.push(err71),errors++}if(typeof data34=="number"){if(data34>65535||isNaN(data34)){const err72={instancePath:instancePath+"/serve/port",schemaPath:"#/prop\
erties/serve/properties/port/maximum",keyword:"maximum",params:{comparison:"<=",limit:65535}};vErrors===null?vErrors=[err72]:vErrors.push(err72),errors++}if(data34<
1||isNaN(data34)){const err73={instancePath:instancePath+"/serve/port",schemaPath:"#/properties/serve/properties/port/minimum",keyword:"minimum",params:{comparison:"\
>=",limit:1}};vErrors===null?vErrors=[err73]:vErrors.push(err73),errors++}}}if(data22.args!==void 0){let data35=data22.args;if(Array.isArray(data35)){const len2=data35.
length;for(let i3=0;i3<len2;i3++)if(typeof data35[i3]!="string"){const err74={instancePath:instancePath+"/serve/args/"+i3,schemaPath:"#/properties/serve/propert\
ies/args/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err74]:vErrors.push(err74),errors++}}else{const err75={instancePath:instancePath+
"/serve/args",schemaPath:"#/properties/serve/properties/args/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err75]:vErrors.push(err75),errors++}}
if(data22.env!==void 0){let data37=data22.env;if(data37&&typeof data37=="object"&&!Array.isArray(data37)){for(const key3 in data37){const _errs85=errors;if(typeof key3==
"string"){if(!pattern27.test(key3)){const err76={instancePath:instancePath+"/serve/env",schemaPath:"#/properties/serve/properties/env/propertyNames/pattern",keyword:"\
pattern",params:{pattern:"^[A-Za-z_][A-Za-z0-9_]*$"},propertyName:key3};vErrors===null?vErrors=[err76]:vErrors.push(err76),errors++}}else{const err77={instancePath:instancePath+
"/serve/env",schemaPath:"#/properties/serve/properties/env/propertyNames/type",keyword:"type",params:{type:"string"},propertyName:key3};vErrors===null?vErrors=[
err77]:vErrors.push(err77),errors++}var valid14=_errs85===errors;if(!valid14){const err78={instancePath:instancePath+"/serve/env",schemaPath:"#/properties/serve\
/properties/env/propertyNames",keyword:"propertyNames",params:{propertyName:key3}};vErrors===null?vErrors=[err78]:vErrors.push(err78),errors++}}for(const key4 in data37)
if(typeof data37[key4]!="string"){const err79={instancePath:instancePath+"/serve/env/"+key4.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/serv\
e/properties/env/additionalProperties/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err79]:vErrors.push(err79),errors++}}else{const err80={
instancePath:instancePath+"/serve/env",schemaPath:"#/properties/serve/properties/env/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err80]:
vErrors.push(err80),errors++}}if(data22.ready!==void 0){let data39=data22.ready;if(typeof data39=="string"){if(!pattern11.test(data39)){const err81={instancePath:instancePath+
"/serve/ready",schemaPath:"#/properties/serve/properties/ready/pattern",keyword:"pattern",params:{pattern:"^/"}};vErrors===null?vErrors=[err81]:vErrors.push(err81),
errors++}}else{const err82={instancePath:instancePath+"/serve/ready",schemaPath:"#/properties/serve/properties/ready/type",keyword:"type",params:{type:"string"}};
vErrors===null?vErrors=[err82]:vErrors.push(err82),errors++}}if(data22.timeout!==void 0){let data40=data22.timeout;if(typeof data40!="string"&&typeof data40!="n\
umber"){const err83={instancePath:instancePath+"/serve/timeout",schemaPath:"#/definitions/duration/type",keyword:"type",params:{type:schema29.type}};vErrors===null?
vErrors=[err83]:vErrors.push(err83),errors++}if(typeof data40=="number"&&(data40<=0||isNaN(data40))){const err84={instancePath:instancePath+"/serve/timeout",schemaPath:"\
#/definitions/duration/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err84]:vErrors.push(err84),errors++}
if(typeof data40=="string"&&!pattern34.test(data40)){const err85={instancePath:instancePath+"/serve/timeout",schemaPath:"#/definitions/duration/pattern",keyword:"\
pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===null?vErrors=[err85]:vErrors.push(err85),errors++}}if(data22.hang!==void 0){let data41=data22.
hang;if(typeof data41!="string"&&typeof data41!="number"){const err86={instancePath:instancePath+"/serve/hang",schemaPath:"#/definitions/duration/type",keyword:"\
type",params:{type:schema29.type}};vErrors===null?vErrors=[err86]:vErrors.push(err86),errors++}if(typeof data41=="number"&&(data41<=0||isNaN(data41))){const err87={
instancePath:instancePath+"/serve/hang",schemaPath:"#/definitions/duration/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===
null?vErrors=[err87]:vErrors.push(err87),errors++}if(typeof data41=="string"&&!pattern34.test(data41)){const err88={instancePath:instancePath+"/serve/hang",schemaPath:"\
#/definitions/duration/pattern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===null?vErrors=[err88]:vErrors.push(err88),errors++}}}else{
const err89={instancePath:instancePath+"/serve",schemaPath:"#/properties/serve/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err89]:vErrors.
push(err89),errors++}}if(data.from!==void 0){let data42=data.from;if(typeof data42!="string"){const err90={instancePath:instancePath+"/from",schemaPath:"#/prope\
rties/from/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err90]:vErrors.push(err90),errors++}if(!(data42==="sft"||data42==="rl")){const err91={
instancePath:instancePath+"/from",schemaPath:"#/properties/from/enum",keyword:"enum",params:{allowedValues:schema76.properties.from.enum}};vErrors===null?vErrors=
[err91]:vErrors.push(err91),errors++}}}else{const err92={instancePath,schemaPath:"#/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err92]:
vErrors.push(err92),errors++}return validate49.errors=vErrors,errors===0}const schema82={type:"object",additionalProperties:!1,properties:{type:{type:"string",enum:[
"bash","tools","command","acp","claude-code","codex","gemini-cli","mini-swe-agent","opencode","openhands","qwen-code","swe-agent","oracle","noop"]},deployment:{
type:"string"},seed:{type:"integer",minimum:0},dialect:{type:"string",enum:["v2","swe-rl"]},action_regex:{type:"string"},actions:{type:"string",enum:["fence","x\
ml","tool-calls"]},limits:{type:"object",additionalProperties:!1,properties:{steps:{type:"integer",minimum:0},time:{allOf:[{$ref:"#/definitions/duration"}]},command:{
allOf:[{$ref:"#/definitions/duration"}]},cost:{type:"number",minimum:0},tokens:{type:"integer",minimum:0},format_errors:{type:"integer",minimum:0},repeated_commands:{
type:"integer",minimum:0}}},context:{type:"object",additionalProperties:!1,properties:{strategy:{type:"string",enum:["full","head-tail","summary"]},max_tokens:{
type:"integer",minimum:256},max_response_tokens:{type:"integer",minimum:1},head:{type:"number",minimum:0,maximum:1}}},history:{type:"object",additionalProperties:!1,
properties:{last_observations:{type:"integer",minimum:0},max_observation:{type:"integer",minimum:100}}},templates:{type:"object",additionalProperties:!1,properties:{
from:{type:"string",pattern:"\\S"},system:{type:"string"},instance:{type:"string"},observation:{type:"string"},format_error:{type:"string"}}},user:{type:"object",
additionalProperties:!1,properties:{says:{type:"array",minItems:1,items:{type:"string"}},model:{$ref:"#/definitions/model"},prompt:{type:"string"},turns:{type:"\
integer",minimum:1}}},env:{type:"object",additionalProperties:{type:"string"}},args:{type:"array",items:{type:"string"}},repository_settings:{type:"string",enum:[
"ignore","allow"]},tools:{type:"array",minItems:1,items:{type:"string",pattern:"^[A-Za-z0-9_.:-]+$"}},program:{type:"object",additionalProperties:!1,required:["\
protocol","run"],properties:{protocol:{type:"string",enum:["openai-chat","openai-responses","anthropic-messages","google-generate"]},run:{type:"string",pattern:"\
\\S"},install:{type:"object",additionalProperties:!1,properties:{source:{type:"string",pattern:"\\S"},npm:{type:"array",items:{type:"string",pattern:"\\S"}},node:{
type:"string",pattern:"^\\d+\\.\\d+\\.\\d+$"},pip:{type:"array",items:{type:"string",pattern:"\\S"}},python:{type:"string",pattern:"^\\d+\\.\\d+$"},platforms:{type:"\
array",items:{type:"string",pattern:"^linux-[a-z0-9]+$"}},check:{type:"string",pattern:"\\S"}}},files:{type:"object",additionalProperties:{type:"string"}},env:{
type:"object",additionalProperties:{type:"string"}},leaves:{type:"array",items:{type:"string",pattern:"\\S"}},obeys:{type:"array",items:{type:"string",pattern:"\
\\S"}}}},version:{type:"string",pattern:"^[0-9A-Za-z.+_-]+$"},as_of:{type:"string",pattern:"^\\d{4}-\\d{2}-\\d{2}$"},source:{type:"string",pattern:"\\S"}}};function validate51(data,{
instancePath="",parentData,parentDataProperty,rootData=data}={}){let vErrors=null,errors=0;if(data&&typeof data=="object"&&!Array.isArray(data)){for(const key0 in data)
if(!func2.call(schema82.properties,key0)){const err0={instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key0}};
vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}if(data.type!==void 0){let data0=data.type;if(typeof data0!="string"){const err1={instancePath:instancePath+
"/type",schemaPath:"#/properties/type/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err1]:vErrors.push(err1),errors++}if(!(data0==="bash"||
data0==="tools"||data0==="command"||data0==="acp"||data0==="claude-code"||data0==="codex"||data0==="gemini-cli"||data0==="mini-swe-agent"||data0==="opencode"||data0===
"openhands"||data0==="qwen-code"||data0==="swe-agent"||data0==="oracle"||data0==="noop")){const err2={instancePath:instancePath+"/type",schemaPath:"#/properties\
/type/enum",keyword:"enum",params:{allowedValues:schema82.properties.type.enum}};vErrors===null?vErrors=[err2]:vErrors.push(err2),errors++}}if(data.deployment!==
void 0&&typeof data.deployment!="string"){const err3={instancePath:instancePath+"/deployment",schemaPath:"#/properties/deployment/type",keyword:"type",params:{type:"\
string"}};vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}if(data.seed!==void 0){let data2=data.seed;if(!(typeof data2=="number"&&!(data2%1)&&!isNaN(data2))){
const err4={instancePath:instancePath+"/seed",schemaPath:"#/properties/seed/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err4]:vErrors.
push(err4),errors++}if(typeof data2=="number"&&(data2<0||isNaN(data2))){const err5={instancePath:instancePath+"/seed",schemaPath:"#/properties/seed/minimum",keyword:"\
minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err5]:vErrors.push(err5),errors++}}if(data.dialect!==void 0){let data3=data.dialect;if(typeof data3!=
"string"){const err6={instancePath:instancePath+"/dialect",schemaPath:"#/properties/dialect/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=
[err6]:vErrors.push(err6),errors++}if(!(data3==="v2"||data3==="swe-rl")){const err7={instancePath:instancePath+"/dialect",schemaPath:"#/properties/dialect/enum",
keyword:"enum",params:{allowedValues:schema82.properties.dialect.enum}};vErrors===null?vErrors=[err7]:vErrors.push(err7),errors++}}if(data.action_regex!==void 0&&
typeof data.action_regex!="string"){const err8={instancePath:instancePath+"/action_regex",schemaPath:"#/properties/action_regex/type",keyword:"type",params:{type:"\
string"}};vErrors===null?vErrors=[err8]:vErrors.push(err8),errors++}if(data.actions!==void 0){let data5=data.actions;if(typeof data5!="string"){const err9={instancePath:instancePath+
"/actions",schemaPath:"#/properties/actions/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err9]:vErrors.push(err9),errors++}if(!(data5===
"fence"||data5==="xml"||data5==="tool-calls")){const err10={instancePath:instancePath+"/actions",schemaPath:"#/properties/actions/enum",keyword:"enum",params:{allowedValues:schema82.
properties.actions.enum}};vErrors===null?vErrors=[err10]:vErrors.push(err10),errors++}}if(data.limits!==void 0){let data6=data.limits;if(data6&&typeof data6=="o\
bject"&&!Array.isArray(data6)){for(const key1 in data6)if(!(key1==="steps"||key1==="time"||key1==="command"||key1==="cost"||key1==="tokens"||key1==="format_erro\
rs"||key1==="repeated_commands")){const err11={instancePath:instancePath+"/limits",schemaPath:"#/properties/limits/additionalProperties",keyword:"additionalProp\
erties",params:{additionalProperty:key1}};vErrors===null?vErrors=[err11]:vErrors.push(err11),errors++}if(data6.steps!==void 0){let data7=data6.steps;if(!(typeof data7==
"number"&&!(data7%1)&&!isNaN(data7))){const err12={instancePath:instancePath+"/limits/steps",schemaPath:"#/properties/limits/properties/steps/type",keyword:"typ\
e",params:{type:"integer"}};vErrors===null?vErrors=[err12]:vErrors.push(err12),errors++}if(typeof data7=="number"&&(data7<0||isNaN(data7))){const err13={instancePath:instancePath+
"/limits/steps",schemaPath:"#/properties/limits/properties/steps/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err13]:vErrors.
push(err13),errors++}}if(data6.time!==void 0){let data8=data6.time;if(typeof data8!="string"&&typeof data8!="number"){const err14={instancePath:instancePath+"/l\
imits/time",schemaPath:"#/definitions/duration/type",keyword:"type",params:{type:schema29.type}};vErrors===null?vErrors=[err14]:vErrors.push(err14),errors++}if(typeof data8==
"number"&&(data8<=0||isNaN(data8))){const err15={instancePath:instancePath+"/limits/time",schemaPath:"#/definitions/duration/exclusiveMinimum",keyword:"exclusiv\
eMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err15]:vErrors.push(err15),errors++}if(typeof data8=="string"&&!pattern34.test(data8)){const err16={
instancePath:instancePath+"/limits/time",schemaPath:"#/definitions/duration/pattern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===
null?vErrors=[err16]:vErrors.push(err16),errors++}}if(data6.command!==void 0){let data9=data6.command;if(typeof data9!="string"&&typeof data9!="number"){const err17={
instancePath:instancePath+"/limits/command",schemaPath:"#/definitions/duration/type",keyword:"type",params:{type:schema29.type}};vErrors===null?vErrors=[err17]:
vErrors.push(err17),errors++}if(typeof data9=="number"&&(data9<=0||isNaN(data9))){const err18={instancePath:instancePath+"/limits/command",schemaPath:"#/definit\
ions/duration/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err18]:vErrors.push(err18),errors++}if(typeof data9==
"string"&&!pattern34.test(data9)){const err19={instancePath:instancePath+"/limits/command",schemaPath:"#/definitions/duration/pattern",keyword:"pattern",params:{
pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===null?vErrors=[err19]:vErrors.push(err19),errors++}}if(data6.cost!==void 0){let data10=data6.cost;if(typeof data10==
"number"){if(data10<0||isNaN(data10)){const err20={instancePath:instancePath+"/limits/cost",schemaPath:"#/properties/limits/properties/cost/minimum",keyword:"mi\
nimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err20]:vErrors.push(err20),errors++}}else{const err21={instancePath:instancePath+"/limits/cost",
schemaPath:"#/properties/limits/properties/cost/type",keyword:"type",params:{type:"number"}};vErrors===null?vErrors=[err21]:vErrors.push(err21),errors++}}if(data6.
tokens!==void 0){let data11=data6.tokens;if(!(typeof data11=="number"&&!(data11%1)&&!isNaN(data11))){const err22={instancePath:instancePath+"/limits/tokens",schemaPath:"\
#/properties/limits/properties/tokens/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err22]:vErrors.push(err22),errors++}if(typeof data11==
"number"&&(data11<0||isNaN(data11))){const err23={instancePath:instancePath+"/limits/tokens",schemaPath:"#/properties/limits/properties/tokens/minimum",keyword:"\
minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err23]:vErrors.push(err23),errors++}}if(data6.format_errors!==void 0){let data12=data6.format_errors;
if(!(typeof data12=="number"&&!(data12%1)&&!isNaN(data12))){const err24={instancePath:instancePath+"/limits/format_errors",schemaPath:"#/properties/limits/prope\
rties/format_errors/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err24]:vErrors.push(err24),errors++}if(typeof data12=="number"&&(data12<
0||isNaN(data12))){const err25={instancePath:instancePath+"/limits/format_errors",schemaPath:"#/properties/limits/properties/format_errors/minimum",keyword:"min\
imum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err25]:vErrors.push(err25),errors++}}if(data6.repeated_commands!==void 0){let data13=data6.repeated_commands;
if(!(typeof data13=="number"&&!(data13%1)&&!isNaN(data13))){const err26={instancePath:instancePath+"/limits/repeated_commands",schemaPath:"#/properties/limits/p\
roperties/repeated_commands/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err26]:vErrors.push(err26),errors++}if(typeof data13=="number"&&
(data13<0||isNaN(data13))){const err27={instancePath:instancePath+"/limits/repeated_commands",schemaPath:"#/properties/limits/properties/repeated_commands/minim\
um",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err27]:vErrors.push(err27),errors++}}}else{const err28={instancePath:instancePath+
"/limits",schemaPath:"#/properties/limits/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err28]:vErrors.push(err28),errors++}}if(data.context!==
void 0){let data14=data.context;if(data14&&typeof data14=="object"&&!Array.isArray(data14)){for(const key2 in data14)if(!(key2==="strategy"||key2==="max_tokens"||
key2==="max_response_tokens"||key2==="head")){const err29={instancePath:instancePath+"/context",schemaPath:"#/properties/context/additionalProperties",keyword:"\
additionalProperties",params:{additionalProperty:key2}};vErrors===null?vErrors=[err29]:vErrors.push(err29),errors++}if(data14.strategy!==void 0){let data15=data14.
strategy;if(typeof data15!="string"){const err30={instancePath:instancePath+"/context/strategy",schemaPath:"#/properties/context/properties/strategy/type",keyword:"\
type",params:{type:"string"}};vErrors===null?vErrors=[err30]:vErrors.push(err30),errors++}if(!(data15==="full"||data15==="head-tail"||data15==="summary")){const err31={
instancePath:instancePath+"/context/strategy",schemaPath:"#/properties/context/properties/strategy/enum",keyword:"enum",params:{allowedValues:schema82.properties.
context.properties.strategy.enum}};vErrors===null?vErrors=[err31]:vErrors.push(err31),errors++}}if(data14.max_tokens!==void 0){let data16=data14.max_tokens;if(!(typeof data16==
"number"&&!(data16%1)&&!isNaN(data16))){const err32={instancePath:instancePath+"/context/max_tokens",schemaPath:"#/properties/context/properties/max_tokens/type",
keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err32]:vErrors.push(err32),errors++}if(typeof data16=="number"&&(data16<256||isNaN(data16))){const err33={
instancePath:instancePath+"/context/max_tokens",schemaPath:"#/properties/context/properties/max_tokens/minimum",keyword:"minimum",params:{comparison:">=",limit:256}};
vErrors===null?vErrors=[err33]:vErrors.push(err33),errors++}}if(data14.max_response_tokens!==void 0){let data17=data14.max_response_tokens;if(!(typeof data17=="\
number"&&!(data17%1)&&!isNaN(data17))){const err34={instancePath:instancePath+"/context/max_response_tokens",schemaPath:"#/properties/context/properties/max_res\
ponse_tokens/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err34]:vErrors.push(err34),errors++}if(typeof data17=="number"&&(data17<1||isNaN(
data17))){const err35={instancePath:instancePath+"/context/max_response_tokens",schemaPath:"#/properties/context/properties/max_response_tokens/minimum",keyword:"\
minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err35]:vErrors.push(err35),errors++}}if(data14.head!==void 0){let data18=data14.head;if(typeof data18==
"number"){if(data18>1||isNaN(data18)){const err36={instancePath:instancePath+"/context/head",schemaPath:"#/properties/context/properties/head/maximum",keyword:"\
maximum",params:{comparison:"<=",limit:1}};vErrors===null?vErrors=[err36]:vErrors.push(err36),errors++}if(data18<0||isNaN(data18)){const err37={instancePath:instancePath+
"/context/head",schemaPath:"#/properties/context/properties/head/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err37]:vErrors.
push(err37),errors++}}else{const err38={instancePath:instancePath+"/context/head",schemaPath:"#/properties/context/properties/head/type",keyword:"type",params:{
type:"number"}};vErrors===null?vErrors=[err38]:vErrors.push(err38),errors++}}}else{const err39={instancePath:instancePath+"/context",schemaPath:"#/properties/co\
ntext/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err39]:vErrors.push(err39),errors++}}if(data.history!==void 0){let data19=data.history;
if(data19&&typeof data19=="object"&&!Array.isArray(data19)){for(const key3 in data19)if(!(key3==="last_observations"||key3==="max_observation")){const err40={instancePath:instancePath+
"/history",schemaPath:"#/properties/history/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key3}};vErrors===null?vErrors=[err40]:
vErrors.push(err40),errors++}if(data19.last_observations!==void 0){let data20=data19.last_observations;if(!(typeof data20=="number"&&!(data20%1)&&!isNaN(data20))){
const err41={instancePath:instancePath+"/history/last_observations",schemaPath:"#/properties/history/properties/last_observations/type",keyword:"type",params:{type:"\
integer"}};vErrors===null?vErrors=[err41]:vErrors.push(err41),errors++}if(typeof data20=="number"&&(data20<0||isNaN(data20))){const err42={instancePath:instancePath+
"/history/last_observations",schemaPath:"#/properties/history/properties/last_observations/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===
null?vErrors=[err42]:vErrors.push(err42),errors++}}if(data19.max_observation!==void 0){let data21=data19.max_observation;if(!(typeof data21=="number"&&!(data21%
1)&&!isNaN(data21))){const err43={instancePath:instancePath+"/history/max_observation",schemaPath:"#/properties/history/properties/max_observation/type",keyword:"\
type",params:{type:"integer"}};vErrors===null?vErrors=[err43]:vErrors.push(err43),errors++}if(typeof data21=="number"&&(data21<100||isNaN(data21))){const err44={
instancePath:instancePath+"/history/max_observation",schemaPath:"#/properties/history/properties/max_observation/minimum",keyword:"minimum",params:{comparison:"\
>=",limit:100}};vErrors===null?vErrors=[err44]:vErrors.push(err44),errors++}}}else{const err45={instancePath:instancePath+"/history",schemaPath:"#/properties/hi\
story/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err45]:vErrors.push(err45),errors++}}if(data.templates!==void 0){let data22=data.templates;
if(data22&&typeof data22=="object"&&!Array.isArray(data22)){for(const key4 in data22)if(!(key4==="from"||key4==="system"||key4==="instance"||key4==="observation"||
key4==="format_error")){const err46={instancePath:instancePath+"/templates",schemaPath:"#/properties/templates/additionalProperties",keyword:"additionalProperti\
es",params:{additionalProperty:key4}};vErrors===null?vErrors=[err46]:vErrors.push(err46),errors++}if(data22.from!==void 0){let data23=data22.from;if(typeof data23==
"string"){if(!pattern2.test(data23)){const err47={instancePath:instancePath+"/templates/from",schemaPath:"#/properties/templates/properties/from/pattern",keyword:"\
pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err47]:vErrors.push(err47),errors++}}else{const err48={instancePath:instancePath+"/templates/from",schemaPath:"\
#/properties/templates/properties/from/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err48]:vErrors.push(err48),errors++}}if(data22.system!==
void 0&&typeof data22.system!="string"){const err49={instancePath:instancePath+"/templates/system",schemaPath:"#/properties/templates/properties/system/type",keyword:"\
type",params:{type:"string"}};vErrors===null?vErrors=[err49]:vErrors.push(err49),errors++}if(data22.instance!==void 0&&typeof data22.instance!="string"){const err50={
instancePath:instancePath+"/templates/instance",schemaPath:"#/properties/templates/properties/instance/type",keyword:"type",params:{type:"string"}};vErrors===null?
vErrors=[err50]:vErrors.push(err50),errors++}if(data22.observation!==void 0&&typeof data22.observation!="string"){const err51={instancePath:instancePath+"/templ\
ates/observation",schemaPath:"#/properties/templates/properties/observation/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err51]:vErrors.
push(err51),errors++}if(data22.format_error!==void 0&&typeof data22.format_error!="string"){const err52={instancePath:instancePath+"/templates/format_error",schemaPath:"\
#/properties/templates/properties/format_error/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err52]:vErrors.push(err52),errors++}}else{const err53={
instancePath:instancePath+"/templates",schemaPath:"#/properties/templates/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err53]:vErrors.push(
err53),errors++}}if(data.user!==void 0){let data28=data.user;if(data28&&typeof data28=="object"&&!Array.isArray(data28)){for(const key5 in data28)if(!(key5==="s\
ays"||key5==="model"||key5==="prompt"||key5==="turns")){const err54={instancePath:instancePath+"/user",schemaPath:"#/properties/user/additionalProperties",keyword:"\
additionalProperties",params:{additionalProperty:key5}};vErrors===null?vErrors=[err54]:vErrors.push(err54),errors++}if(data28.says!==void 0){let data29=data28.says;
if(Array.isArray(data29)){if(data29.length<1){const err55={instancePath:instancePath+"/user/says",schemaPath:"#/properties/user/properties/says/minItems",keyword:"\
minItems",params:{limit:1}};vErrors===null?vErrors=[err55]:vErrors.push(err55),errors++}const len0=data29.length;for(let i0=0;i0<len0;i0++)if(typeof data29[i0]!=
"string"){const err56={instancePath:instancePath+"/user/says/"+i0,schemaPath:"#/properties/user/properties/says/items/type",keyword:"type",params:{type:"string"}};
vErrors===null?vErrors=[err56]:vErrors.push(err56),errors++}}else{const err57={instancePath:instancePath+"/user/says",schemaPath:"#/properties/user/properties/s\
ays/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err57]:vErrors.push(err57),errors++}}if(data28.model!==void 0&&(validate28(data28.model,
{instancePath:instancePath+"/user/model",parentData:data28,parentDataProperty:"model",rootData})||(vErrors=vErrors===null?validate28.errors:vErrors.concat(validate28.
errors),errors=vErrors.length)),data28.prompt!==void 0&&typeof data28.prompt!="string"){const err58={instancePath:instancePath+"/user/prompt",schemaPath:"#/prop\
erties/user/properties/prompt/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err58]:vErrors.push(err58),errors++}if(data28.turns!==void 0){
let data33=data28.turns;if(!(typeof data33=="number"&&!(data33%1)&&!isNaN(data33))){const err59={instancePath:instancePath+"/user/turns",schemaPath:"#/propertie\
s/user/properties/turns/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err59]:vErrors.push(err59),errors++}if(typeof data33=="number"&&(data33<
1||isNaN(data33))){const err60={instancePath:instancePath+"/user/turns",schemaPath:"#/properties/user/properties/turns/minimum",keyword:"minimum",params:{comparison:"\
>=",limit:1}};vErrors===null?vErrors=[err60]:vErrors.push(err60),errors++}}}else{const err61={instancePath:instancePath+"/user",schemaPath:"#/properties/user/ty\
pe",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err61]:vErrors.push(err61),errors++}}if(data.env!==void 0){let data34=data.env;if(data34&&typeof data34==
"object"&&!Array.isArray(data34)){for(const key6 in data34)if(typeof data34[key6]!="string"){const err62={instancePath:instancePath+"/env/"+key6.replace(/~/g,"~\
0").replace(/\//g,"~1"),schemaPath:"#/properties/env/additionalProperties/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err62]:vErrors.push(
err62),errors++}}else{const err63={instancePath:instancePath+"/env",schemaPath:"#/properties/env/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=
[err63]:vErrors.push(err63),errors++}}if(data.args!==void 0){let data36=data.args;if(Array.isArray(data36)){const len1=data36.length;for(let i1=0;i1<len1;i1++)if(typeof data36[i1]!=
"string"){const err64={instancePath:instancePath+"/args/"+i1,schemaPath:"#/properties/args/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=
[err64]:vErrors.push(err64),errors++}}else{const err65={instancePath:instancePath+"/args",schemaPath:"#/properties/args/type",keyword:"type",params:{type:"array"}};
vErrors===null?vErrors=[err65]:vErrors.push(err65),errors++}}if(data.repository_settings!==void 0){let data38=data.repository_settings;if(typeof data38!="string"){
const err66={instancePath:instancePath+"/repository_settings",schemaPath:"#/properties/repository_settings/type",keyword:"type",params:{type:"string"}};vErrors===
null?vErrors=[err66]:vErrors.push(err66),errors++}if(!(data38==="ignore"||data38==="allow")){const err67={instancePath:instancePath+"/repository_settings",schemaPath:"\
#/properties/repository_settings/enum",keyword:"enum",params:{allowedValues:schema82.properties.repository_settings.enum}};vErrors===null?vErrors=[err67]:vErrors.
push(err67),errors++}}if(data.tools!==void 0){let data39=data.tools;if(Array.isArray(data39)){if(data39.length<1){const err68={instancePath:instancePath+"/tools",
schemaPath:"#/properties/tools/minItems",keyword:"minItems",params:{limit:1}};vErrors===null?vErrors=[err68]:vErrors.push(err68),errors++}const len2=data39.length;
for(let i2=0;i2<len2;i2++){let data40=data39[i2];if(typeof data40=="string"){if(!pattern82.test(data40)){const err69={instancePath:instancePath+"/tools/"+i2,schemaPath:"\
#/properties/tools/items/pattern",keyword:"pattern",params:{pattern:"^[A-Za-z0-9_.:-]+$"}};vErrors===null?vErrors=[err69]:vErrors.push(err69),errors++}}else{const err70={
instancePath:instancePath+"/tools/"+i2,schemaPath:"#/properties/tools/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err70]:vErrors.
push(err70),errors++}}}else{const err71={instancePath:instancePath+"/tools",schemaPath:"#/properties/tools/type",keyword:"type",params:{type:"array"}};vErrors===
null?vErrors=[err71]:vErrors.push(err71),errors++}}if(data.program!==void 0){let data41=data.program;if(data41&&typeof data41=="object"&&!Array.isArray(data41)){
if(data41.protocol===void 0){const err72={instancePath:instancePath+"/program",schemaPath:"#/properties/program/required",keyword:"required",params:{missingProperty:"\
protocol"}};vErrors===null?vErrors=[err72]:vErrors.push(err72),errors++}if(data41.run===void 0){const err73={instancePath:instancePath+"/program",schemaPath:"#/\
properties/program/required",keyword:"required",params:{missingProperty:"run"}};vErrors===null?vErrors=[err73]:vErrors.push(err73),errors++}for(const key7 in data41)
if(!(key7==="protocol"||key7==="run"||key7==="install"||key7==="files"||key7==="env"||key7==="leaves"||key7==="obeys")){const err74={instancePath:instancePath+"\
/program",schemaPath:"#/properties/program/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key7}};vErrors===null?vErrors=[err74]:
vErrors.push(err74),errors++}if(data41.protocol!==void 0){let data42=data41.protocol;if(typeof data42!="string"){const err75={instancePath:instancePath+"/progra\
m/protocol",schemaPath:"#/properties/program/properties/protocol/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err75]:vErrors.push(err75),
errors++}if(!(data42==="openai-chat"||data42==="openai-responses"||data42==="anthropic-messages"||data42==="google-generate")){const err76={instancePath:instancePath+
"/program/protocol",schemaPath:"#/properties/program/properties/protocol/enum",keyword:"enum",params:{allowedValues:schema82.properties.program.properties.protocol.
enum}};vErrors===null?vErrors=[err76]:vErrors.push(err76),errors++}}if(data41.run!==void 0){let data43=data41.run;if(typeof data43=="string"){if(!pattern2.test(
data43)){const err77={instancePath:instancePath+"/program/run",schemaPath:"#/properties/program/properties/run/pattern",keyword:"pattern",params:{pattern:"\\S"}};
vErrors===null?vErrors=[err77]:vErrors.push(err77),errors++}}else{const err78={instancePath:instancePath+"/program/run",schemaPath:"#/properties/program/propert\
ies/run/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err78]:vErrors.push(err78),errors++}}if(data41.install!==void 0){let data44=data41.
install;if(data44&&typeof data44=="object"&&!Array.isArray(data44)){for(const key8 in data44)if(!(key8==="source"||key8==="npm"||key8==="node"||key8==="pip"||key8===
"python"||key8==="platforms"||key8==="check")){const err79={instancePath:instancePath+"/program/install",schemaPath:"#/properties/program/properties/install/add\
itionalProperties",keyword:"additionalProperties",params:{additionalProperty:key8}};vErrors===null?vErrors=[err79]:vErrors.push(err79),errors++}if(data44.source!==
void 0){let data45=data44.source;if(typeof data45=="string"){if(!pattern2.test(data45)){const err80={instancePath:instancePath+"/program/install/source",schemaPath:"\
#/properties/program/properties/install/properties/source/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err80]:vErrors.push(err80),
errors++}}else{const err81={instancePath:instancePath+"/program/install/source",schemaPath:"#/properties/program/properties/install/properties/source/type",keyword:"\
type",params:{type:"string"}};vErrors===null?vErrors=[err81]:vErrors.push(err81),errors++}}if(data44.npm!==void 0){let data46=data44.npm;if(Array.isArray(data46)){
const len3=data46.length;for(let i3=0;i3<len3;i3++){let data47=data46[i3];if(typeof data47=="string"){if(!pattern2.test(data47)){const err82={instancePath:instancePath+
"/program/install/npm/"+i3,schemaPath:"#/properties/program/properties/install/properties/npm/items/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===
null?vErrors=[err82]:vErrors.push(err82),errors++}}else{const err83={instancePath:instancePath+"/program/install/npm/"+i3,schemaPath:"#/properties/program/prope\
rties/install/properties/npm/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err83]:vErrors.push(err83),errors++}}}else{const err84={
instancePath:instancePath+"/program/install/npm",schemaPath:"#/properties/program/properties/install/properties/npm/type",keyword:"type",params:{type:"array"}};
vErrors===null?vErrors=[err84]:vErrors.push(err84),errors++}}if(data44.node!==void 0){let data48=data44.node;if(typeof data48=="string"){if(!pattern86.test(data48)){
const err85={instancePath:instancePath+"/program/install/node",schemaPath:"#/properties/program/properties/install/properties/node/pattern",keyword:"pattern",params:{
pattern:"^\\d+\\.\\d+\\.\\d+$"}};vErrors===null?vErrors=[err85]:vErrors.push(err85),errors++}}else{const err86={instancePath:instancePath+"/program/install/node",
schemaPath:"#/properties/program/properties/install/properties/node/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err86]:vErrors.push(err86),
errors++}}if(data44.pip!==void 0){let data49=data44.pip;if(Array.isArray(data49)){const len4=data49.length;for(let i4=0;i4<len4;i4++){let data50=data49[i4];if(typeof data50==
"string"){if(!pattern2.test(data50)){const err87={instancePath:instancePath+"/program/install/pip/"+i4,schemaPath:"#/properties/program/properties/install/prope\
rties/pip/items/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err87]:vErrors.push(err87),errors++}}else{const err88={instancePath:instancePath+
"/program/install/pip/"+i4,schemaPath:"#/properties/program/properties/install/properties/pip/items/type",keyword:"type",params:{type:"string"}};vErrors===null?
vErrors=[err88]:vErrors.push(err88),errors++}}}else{const err89={instancePath:instancePath+"/program/install/pip",schemaPath:"#/properties/program/properties/in\
stall/properties/pip/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err89]:vErrors.push(err89),errors++}}if(data44.python!==void 0){let data51=data44.
python;if(typeof data51=="string"){if(!pattern88.test(data51)){const err90={instancePath:instancePath+"/program/install/python",schemaPath:"#/properties/program\
/properties/install/properties/python/pattern",keyword:"pattern",params:{pattern:"^\\d+\\.\\d+$"}};vErrors===null?vErrors=[err90]:vErrors.push(err90),errors++}}else{
const err91={instancePath:instancePath+"/program/install/python",schemaPath:"#/properties/program/properties/install/properties/python/type",keyword:"type",params:{
type:"string"}};vErrors===null?vErrors=[err91]:vErrors.push(err91),errors++}}if(data44.platforms!==void 0){let data52=data44.platforms;if(Array.isArray(data52)){
const len5=data52.length;for(let i5=0;i5<len5;i5++){let data53=data52[i5];if(typeof data53=="string"){if(!pattern89.test(data53)){const err92={instancePath:instancePath+
"/program/install/platforms/"+i5,schemaPath:"#/properties/program/properties/install/properties/platforms/items/pattern",keyword:"pattern",params:{pattern:"^lin\
ux-[a-z0-9]+$"}};vErrors===null?vErrors=[err92]:vErrors.push(err92),errors++}}else{const err93={instancePath:instancePath+"/program/install/platforms/"+i5,schemaPath:"\
#/properties/program/properties/install/properties/platforms/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err93]:vErrors.push(err93),
errors++}}}else{const err94={instancePath:instancePath+"/program/install/platforms",schemaPath:"#/properties/program/properties/install/properties/platforms/typ\
e",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err94]:vErrors.push(err94),errors++}}if(data44.check!==void 0){let data54=data44.check;if(typeof data54==
"string"){if(!pattern2.test(data54)){const err95={instancePath:instancePath+"/program/install/check",schemaPath:"#/properties/program/properties/install/propert\
ies/check/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err95]:vErrors.push(err95),errors++}}else{const err96={instancePath:instancePath+
"/program/install/check",schemaPath:"#/properties/program/properties/install/properties/check/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=
[err96]:vErrors.push(err96),errors++}}}else{const err97={instancePath:instancePath+"/program/install",schemaPath:"#/properties/program/properties/install/type",
keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err97]:vErrors.push(err97),errors++}}if(data41.files!==void 0){let data55=data41.files;if(data55&&
typeof data55=="object"&&!Array.isArray(data55)){for(const key9 in data55)if(typeof data55[key9]!="string"){const err98={instancePath:instancePath+"/program/fil\
es/"+key9.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/program/properties/files/additionalProperties/type",keyword:"type",params:{type:"strin\
g"}};vErrors===null?vErrors=[err98]:vErrors.push(err98),errors++}}else{const err99={instancePath:instancePath+"/program/files",schemaPath:"#/properties/program/\
properties/files/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err99]:vErrors.push(err99),errors++}}if(data41.env!==void 0){let data57=data41.
env;if(data57&&typeof data57=="object"&&!Array.isArray(data57)){for(const key10 in data57)if(typeof data57[key10]!="string"){const err100={instancePath:instancePath+
"/program/env/"+key10.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/program/properties/env/additionalProperties/type",keyword:"type",params:{type:"\
string"}};vErrors===null?vErrors=[err100]:vErrors.push(err100),errors++}}else{const err101={instancePath:instancePath+"/program/env",schemaPath:"#/properties/pr\
ogram/properties/env/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err101]:vErrors.push(err101),errors++}}if(data41.leaves!==void 0){let data59=data41.
leaves;if(Array.isArray(data59)){const len6=data59.length;for(let i6=0;i6<len6;i6++){let data60=data59[i6];if(typeof data60=="string"){if(!pattern2.test(data60)){
const err102={instancePath:instancePath+"/program/leaves/"+i6,schemaPath:"#/properties/program/properties/leaves/items/pattern",keyword:"pattern",params:{pattern:"\
\\S"}};vErrors===null?vErrors=[err102]:vErrors.push(err102),errors++}}else{const err103={instancePath:instancePath+"/program/leaves/"+i6,schemaPath:"#/propertie\
s/program/properties/leaves/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err103]:vErrors.push(err103),errors++}}}else{const err104={
instancePath:instancePath+"/program/leaves",schemaPath:"#/properties/program/properties/leaves/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=
[err104]:vErrors.push(err104),errors++}}if(data41.obeys!==void 0){let data61=data41.obeys;if(Array.isArray(data61)){const len7=data61.length;for(let i7=0;i7<len7;i7++){
let data62=data61[i7];if(typeof data62=="string"){if(!pattern2.test(data62)){const err105={instancePath:instancePath+"/program/obeys/"+i7,schemaPath:"#/properti\
es/program/properties/obeys/items/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err105]:vErrors.push(err105),errors++}}else{const err106={
instancePath:instancePath+"/program/obeys/"+i7,schemaPath:"#/properties/program/properties/obeys/items/type",keyword:"type",params:{type:"string"}};vErrors===null?
vErrors=[err106]:vErrors.push(err106),errors++}}}else{const err107={instancePath:instancePath+"/program/obeys",schemaPath:"#/properties/program/properties/obeys\
/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err107]:vErrors.push(err107),errors++}}}else{const err108={instancePath:instancePath+"/prog\
ram",schemaPath:"#/properties/program/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err108]:vErrors.push(err108),errors++}}if(data.version!==
void 0){let data63=data.version;if(typeof data63=="string"){if(!pattern93.test(data63)){const err109={instancePath:instancePath+"/version",schemaPath:"#/propert\
ies/version/pattern",keyword:"pattern",params:{pattern:"^[0-9A-Za-z.+_-]+$"}};vErrors===null?vErrors=[err109]:vErrors.push(err109),errors++}}else{const err110={
instancePath:instancePath+"/version",schemaPath:"#/properties/version/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err110]:vErrors.push(
err110),errors++}}if(data.as_of!==void 0){let data64=data.as_of;if(typeof data64=="string"){if(!pattern94.test(data64)){const err111={instancePath:instancePath+
"/as_of",schemaPath:"#/properties/as_of/pattern",keyword:"pattern",params:{pattern:"^\\d{4}-\\d{2}-\\d{2}$"}};vErrors===null?vErrors=[err111]:vErrors.push(err111),
errors++}}else{const err112={instancePath:instancePath+"/as_of",schemaPath:"#/properties/as_of/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=
[err112]:vErrors.push(err112),errors++}}if(data.source!==void 0){let data65=data.source;if(typeof data65=="string"){if(!pattern2.test(data65)){const err113={instancePath:instancePath+
"/source",schemaPath:"#/properties/source/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err113]:vErrors.push(err113),errors++}}else{
const err114={instancePath:instancePath+"/source",schemaPath:"#/properties/source/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err114]:vErrors.
push(err114),errors++}}}else{const err115={instancePath,schemaPath:"#/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err115]:vErrors.push(
err115),errors++}return validate51.errors=vErrors,errors===0}function validate48(data,{instancePath="",parentData,parentDataProperty,rootData=data}={}){let vErrors=null,
errors=0;if(data&&typeof data=="object"&&!Array.isArray(data)){if(data.dataset===void 0){const err0={instancePath,schemaPath:"#/required",keyword:"required",params:{
missingProperty:"dataset"}};vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}for(const key0 in data)if(!func2.call(schema74.properties,key0)){const err1={
instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key0}};vErrors===null?vErrors=[err1]:vErrors.push(err1),
errors++}if(data.dataset!==void 0&&typeof data.dataset!="string"){const err2={instancePath:instancePath+"/dataset",schemaPath:"#/properties/dataset/type",keyword:"\
type",params:{type:"string"}};vErrors===null?vErrors=[err2]:vErrors.push(err2),errors++}if(data.models!==void 0){let data1=data.models;if(data1&&typeof data1=="\
object"&&!Array.isArray(data1)){if(Object.keys(data1).length<1){const err3={instancePath:instancePath+"/models",schemaPath:"#/properties/models/minProperties",keyword:"\
minProperties",params:{limit:1}};vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}for(const key1 in data1){const _errs6=errors;if(typeof key1=="string"){
if(!pattern1.test(key1)){const err4={instancePath:instancePath+"/models",schemaPath:"#/definitions/id/pattern",keyword:"pattern",params:{pattern:"^[A-Za-z0-9][A\
-Za-z0-9_-]{0,63}$"},propertyName:key1};vErrors===null?vErrors=[err4]:vErrors.push(err4),errors++}}else{const err5={instancePath:instancePath+"/models",schemaPath:"\
#/definitions/id/type",keyword:"type",params:{type:"string"},propertyName:key1};vErrors===null?vErrors=[err5]:vErrors.push(err5),errors++}var valid1=_errs6===errors;
if(!valid1){const err6={instancePath:instancePath+"/models",schemaPath:"#/properties/models/propertyNames",keyword:"propertyNames",params:{propertyName:key1}};vErrors===
null?vErrors=[err6]:vErrors.push(err6),errors++}}for(const key2 in data1)validate49(data1[key2],{instancePath:instancePath+"/models/"+key2.replace(/~/g,"~0").replace(
/\//g,"~1"),parentData:data1,parentDataProperty:key2,rootData})||(vErrors=vErrors===null?validate49.errors:vErrors.concat(validate49.errors),errors=vErrors.length)}else{
const err7={instancePath:instancePath+"/models",schemaPath:"#/properties/models/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err7]:vErrors.
push(err7),errors++}}if(data.predictions!==void 0){let data3=data.predictions;if(data3&&typeof data3=="object"&&!Array.isArray(data3)){for(const key3 in data3){
const _errs13=errors;if(typeof key3=="string"){if(!pattern1.test(key3)){const err8={instancePath:instancePath+"/predictions",schemaPath:"#/definitions/id/patter\
n",keyword:"pattern",params:{pattern:"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"},propertyName:key3};vErrors===null?vErrors=[err8]:vErrors.push(err8),errors++}}else{const err9={
instancePath:instancePath+"/predictions",schemaPath:"#/definitions/id/type",keyword:"type",params:{type:"string"},propertyName:key3};vErrors===null?vErrors=[err9]:
vErrors.push(err9),errors++}var valid4=_errs13===errors;if(!valid4){const err10={instancePath:instancePath+"/predictions",schemaPath:"#/properties/predictions/p\
ropertyNames",keyword:"propertyNames",params:{propertyName:key3}};vErrors===null?vErrors=[err10]:vErrors.push(err10),errors++}}for(const key4 in data3){let data4=data3[key4];
if(Array.isArray(data4)){if(data4.length<1){const err11={instancePath:instancePath+"/predictions/"+key4.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/pro\
perties/predictions/additionalProperties/minItems",keyword:"minItems",params:{limit:1}};vErrors===null?vErrors=[err11]:vErrors.push(err11),errors++}const len0=data4.
length;for(let i0=0;i0<len0;i0++){let data5=data4[i0];if(typeof data5=="string"){if(!pattern2.test(data5)){const err12={instancePath:instancePath+"/predictions/"+
key4.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+i0,schemaPath:"#/properties/predictions/additionalProperties/items/pattern",keyword:"pattern",params:{pattern:"\\\
S"}};vErrors===null?vErrors=[err12]:vErrors.push(err12),errors++}}else{const err13={instancePath:instancePath+"/predictions/"+key4.replace(/~/g,"~0").replace(/\//g,
"~1")+"/"+i0,schemaPath:"#/properties/predictions/additionalProperties/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err13]:vErrors.
push(err13),errors++}}}else{const err14={instancePath:instancePath+"/predictions/"+key4.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/predicti\
ons/additionalProperties/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err14]:vErrors.push(err14),errors++}}}else{const err15={instancePath:instancePath+
"/predictions",schemaPath:"#/properties/predictions/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err15]:vErrors.push(err15),errors++}}if(data.
deployment!==void 0&&typeof data.deployment!="string"){const err16={instancePath:instancePath+"/deployment",schemaPath:"#/properties/deployment/type",keyword:"t\
ype",params:{type:"string"}};vErrors===null?vErrors=[err16]:vErrors.push(err16),errors++}if(data.agent!==void 0&&(validate51(data.agent,{instancePath:instancePath+
"/agent",parentData:data,parentDataProperty:"agent",rootData})||(vErrors=vErrors===null?validate51.errors:vErrors.concat(validate51.errors),errors=vErrors.length)),
data.harness!==void 0){let data8=data.harness;if(typeof data8!="string"){const err17={instancePath:instancePath+"/harness",schemaPath:"#/properties/harness/type",
keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err17]:vErrors.push(err17),errors++}if(!(data8==="native"||data8==="swebench")){const err18={instancePath:instancePath+
"/harness",schemaPath:"#/properties/harness/enum",keyword:"enum",params:{allowedValues:schema74.properties.harness.enum}};vErrors===null?vErrors=[err18]:vErrors.
push(err18),errors++}}if(data.command!==void 0&&typeof data.command!="string"){const err19={instancePath:instancePath+"/command",schemaPath:"#/properties/comman\
d/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err19]:vErrors.push(err19),errors++}if(data.workers!==void 0){let data10=data.workers;if(!(typeof data10==
"number"&&!(data10%1)&&!isNaN(data10))){const err20={instancePath:instancePath+"/workers",schemaPath:"#/properties/workers/type",keyword:"type",params:{type:"in\
teger"}};vErrors===null?vErrors=[err20]:vErrors.push(err20),errors++}if(typeof data10=="number"&&(data10<1||isNaN(data10))){const err21={instancePath:instancePath+
"/workers",schemaPath:"#/properties/workers/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err21]:vErrors.push(err21),errors++}}
if(data.timeout!==void 0){let data11=data.timeout;if(typeof data11!="string"&&typeof data11!="number"){const err22={instancePath:instancePath+"/timeout",schemaPath:"\
#/definitions/duration/type",keyword:"type",params:{type:schema29.type}};vErrors===null?vErrors=[err22]:vErrors.push(err22),errors++}if(typeof data11=="number"&&
(data11<=0||isNaN(data11))){const err23={instancePath:instancePath+"/timeout",schemaPath:"#/definitions/duration/exclusiveMinimum",keyword:"exclusiveMinimum",params:{
comparison:">",limit:0}};vErrors===null?vErrors=[err23]:vErrors.push(err23),errors++}if(typeof data11=="string"&&!pattern34.test(data11)){const err24={instancePath:instancePath+
"/timeout",schemaPath:"#/definitions/duration/pattern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===null?vErrors=[err24]:vErrors.
push(err24),errors++}}}else{const err25={instancePath,schemaPath:"#/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err25]:vErrors.push(err25),
errors++}return validate48.errors=vErrors,errors===0}const schema88={type:"object",additionalProperties:!1,properties:{folder:{type:"string",pattern:"\\S"},share:{
enum:["none","group"]},max_size:{allOf:[{$ref:"#/definitions/size"}]},max_states:{allOf:[{$ref:"#/definitions/size"}]},remote:{$ref:"#/definitions/remoteCache"}}},
schema91={type:"object",additionalProperties:!1,properties:{url:{type:"string",pattern:"^https?://[^\\s?#]+$"},path:{type:"string",pattern:"\\S"},token:{type:"s\
tring",pattern:"\\S"},read:{type:"boolean"},write:{type:"boolean"},tls:{type:"object",additionalProperties:!1,properties:{ca:{type:"string",pattern:"\\S"},certificate:{
type:"string",pattern:"\\S"},key:{type:"string",pattern:"\\S"}}},sign:{type:"string",pattern:"\\S"},trusted:{type:"array",minItems:1,items:{type:"string",pattern:"\
^ed25519:[A-Za-z0-9+/]{43}=$"}},timeout:{allOf:[{$ref:"#/definitions/duration"}]},concurrency:{type:"integer",minimum:1,maximum:1024},upload_wait:{allOf:[{$ref:"\
#/definitions/duration"}]}}},pattern186=new RegExp("^https?://[^\\s?#]+$","u"),pattern193=new RegExp("^ed25519:[A-Za-z0-9+/]{43}=$","u");function validate56(data,{
instancePath="",parentData,parentDataProperty,rootData=data}={}){let vErrors=null,errors=0;if(data&&typeof data=="object"&&!Array.isArray(data)){for(const key0 in data)
if(!func2.call(schema91.properties,key0)){const err0={instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key0}};
vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}if(data.url!==void 0){let data0=data.url;if(typeof data0=="string"){if(!pattern186.test(data0)){const err1={
instancePath:instancePath+"/url",schemaPath:"#/properties/url/pattern",keyword:"pattern",params:{pattern:"^https?://[^\\s?#]+$"}};vErrors===null?vErrors=[err1]:
vErrors.push(err1),errors++}}else{const err2={instancePath:instancePath+"/url",schemaPath:"#/properties/url/type",keyword:"type",params:{type:"string"}};vErrors===
null?vErrors=[err2]:vErrors.push(err2),errors++}}if(data.path!==void 0){let data1=data.path;if(typeof data1=="string"){if(!pattern2.test(data1)){const err3={instancePath:instancePath+
"/path",schemaPath:"#/properties/path/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}}else{const err4={
instancePath:instancePath+"/path",schemaPath:"#/properties/path/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err4]:vErrors.push(err4),errors++}}
if(data.token!==void 0){let data2=data.token;if(typeof data2=="string"){if(!pattern2.test(data2)){const err5={instancePath:instancePath+"/token",schemaPath:"#/p\
roperties/token/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err5]:vErrors.push(err5),errors++}}else{const err6={instancePath:instancePath+
"/token",schemaPath:"#/properties/token/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err6]:vErrors.push(err6),errors++}}if(data.read!==void 0&&
typeof data.read!="boolean"){const err7={instancePath:instancePath+"/read",schemaPath:"#/properties/read/type",keyword:"type",params:{type:"boolean"}};vErrors===
null?vErrors=[err7]:vErrors.push(err7),errors++}if(data.write!==void 0&&typeof data.write!="boolean"){const err8={instancePath:instancePath+"/write",schemaPath:"\
#/properties/write/type",keyword:"type",params:{type:"boolean"}};vErrors===null?vErrors=[err8]:vErrors.push(err8),errors++}if(data.tls!==void 0){let data5=data.
tls;if(data5&&typeof data5=="object"&&!Array.isArray(data5)){for(const key1 in data5)if(!(key1==="ca"||key1==="certificate"||key1==="key")){const err9={instancePath:instancePath+
"/tls",schemaPath:"#/properties/tls/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key1}};vErrors===null?vErrors=[err9]:vErrors.
push(err9),errors++}if(data5.ca!==void 0){let data6=data5.ca;if(typeof data6=="string"){if(!pattern2.test(data6)){const err10={instancePath:instancePath+"/tls/c\
a",schemaPath:"#/properties/tls/properties/ca/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err10]:vErrors.push(err10),errors++}}else{
const err11={instancePath:instancePath+"/tls/ca",schemaPath:"#/properties/tls/properties/ca/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=
[err11]:vErrors.push(err11),errors++}}if(data5.certificate!==void 0){let data7=data5.certificate;if(typeof data7=="string"){if(!pattern2.test(data7)){const err12={
instancePath:instancePath+"/tls/certificate",schemaPath:"#/properties/tls/properties/certificate/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?
vErrors=[err12]:vErrors.push(err12),errors++}}else{const err13={instancePath:instancePath+"/tls/certificate",schemaPath:"#/properties/tls/properties/certificate\
/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err13]:vErrors.push(err13),errors++}}if(data5.key!==void 0){let data8=data5.key;if(typeof data8==
"string"){if(!pattern2.test(data8)){const err14={instancePath:instancePath+"/tls/key",schemaPath:"#/properties/tls/properties/key/pattern",keyword:"pattern",params:{
pattern:"\\S"}};vErrors===null?vErrors=[err14]:vErrors.push(err14),errors++}}else{const err15={instancePath:instancePath+"/tls/key",schemaPath:"#/properties/tls\
/properties/key/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err15]:vErrors.push(err15),errors++}}}else{const err16={instancePath:instancePath+
"/tls",schemaPath:"#/properties/tls/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err16]:vErrors.push(err16),errors++}}if(data.sign!==void 0){
let data9=data.sign;if(typeof data9=="string"){if(!pattern2.test(data9)){const err17={instancePath:instancePath+"/sign",schemaPath:"#/properties/sign/pattern",keyword:"\
pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[err17]:vErrors.push(err17),errors++}}else{const err18={instancePath:instancePath+"/sign",schemaPath:"#/\
properties/sign/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err18]:vErrors.push(err18),errors++}}if(data.trusted!==void 0){let data10=data.
trusted;if(Array.isArray(data10)){if(data10.length<1){const err19={instancePath:instancePath+"/trusted",schemaPath:"#/properties/trusted/minItems",keyword:"minI\
tems",params:{limit:1}};vErrors===null?vErrors=[err19]:vErrors.push(err19),errors++}const len0=data10.length;for(let i0=0;i0<len0;i0++){let data11=data10[i0];if(typeof data11==
"string"){if(!pattern193.test(data11)){const err20={instancePath:instancePath+"/trusted/"+i0,schemaPath:"#/properties/trusted/items/pattern",keyword:"pattern",params:{
pattern:"^ed25519:[A-Za-z0-9+/]{43}=$"}};vErrors===null?vErrors=[err20]:vErrors.push(err20),errors++}}else{const err21={instancePath:instancePath+"/trusted/"+i0,
schemaPath:"#/properties/trusted/items/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err21]:vErrors.push(err21),errors++}}}else{const err22={
instancePath:instancePath+"/trusted",schemaPath:"#/properties/trusted/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err22]:vErrors.push(err22),
errors++}}if(data.timeout!==void 0){let data12=data.timeout;if(typeof data12!="string"&&typeof data12!="number"){const err23={instancePath:instancePath+"/timeou\
t",schemaPath:"#/definitions/duration/type",keyword:"type",params:{type:schema29.type}};vErrors===null?vErrors=[err23]:vErrors.push(err23),errors++}if(typeof data12==
"number"&&(data12<=0||isNaN(data12))){const err24={instancePath:instancePath+"/timeout",schemaPath:"#/definitions/duration/exclusiveMinimum",keyword:"exclusiveM\
inimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err24]:vErrors.push(err24),errors++}if(typeof data12=="string"&&!pattern34.test(data12)){const err25={
instancePath:instancePath+"/timeout",schemaPath:"#/definitions/duration/pattern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===
null?vErrors=[err25]:vErrors.push(err25),errors++}}if(data.concurrency!==void 0){let data13=data.concurrency;if(!(typeof data13=="number"&&!(data13%1)&&!isNaN(data13))){
const err26={instancePath:instancePath+"/concurrency",schemaPath:"#/properties/concurrency/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=
[err26]:vErrors.push(err26),errors++}if(typeof data13=="number"){if(data13>1024||isNaN(data13)){const err27={instancePath:instancePath+"/concurrency",schemaPath:"\
#/properties/concurrency/maximum",keyword:"maximum",params:{comparison:"<=",limit:1024}};vErrors===null?vErrors=[err27]:vErrors.push(err27),errors++}if(data13<1||
isNaN(data13)){const err28={instancePath:instancePath+"/concurrency",schemaPath:"#/properties/concurrency/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};
vErrors===null?vErrors=[err28]:vErrors.push(err28),errors++}}}if(data.upload_wait!==void 0){let data14=data.upload_wait;if(typeof data14!="string"&&typeof data14!=
"number"){const err29={instancePath:instancePath+"/upload_wait",schemaPath:"#/definitions/duration/type",keyword:"type",params:{type:schema29.type}};vErrors===null?
vErrors=[err29]:vErrors.push(err29),errors++}if(typeof data14=="number"&&(data14<=0||isNaN(data14))){const err30={instancePath:instancePath+"/upload_wait",schemaPath:"\
#/definitions/duration/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err30]:vErrors.push(err30),errors++}
if(typeof data14=="string"&&!pattern34.test(data14)){const err31={instancePath:instancePath+"/upload_wait",schemaPath:"#/definitions/duration/pattern",keyword:"\
pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}};vErrors===null?vErrors=[err31]:vErrors.push(err31),errors++}}}else{const err32={instancePath,schemaPath:"\
#/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err32]:vErrors.push(err32),errors++}return validate56.errors=vErrors,errors===0}function validate55(data,{
instancePath="",parentData,parentDataProperty,rootData=data}={}){let vErrors=null,errors=0;if(data&&typeof data=="object"&&!Array.isArray(data)){for(const key0 in data)
if(!(key0==="folder"||key0==="share"||key0==="max_size"||key0==="max_states"||key0==="remote")){const err0={instancePath,schemaPath:"#/additionalProperties",keyword:"\
additionalProperties",params:{additionalProperty:key0}};vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}if(data.folder!==void 0){let data0=data.folder;
if(typeof data0=="string"){if(!pattern2.test(data0)){const err1={instancePath:instancePath+"/folder",schemaPath:"#/properties/folder/pattern",keyword:"pattern",
params:{pattern:"\\S"}};vErrors===null?vErrors=[err1]:vErrors.push(err1),errors++}}else{const err2={instancePath:instancePath+"/folder",schemaPath:"#/properties\
/folder/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err2]:vErrors.push(err2),errors++}}if(data.share!==void 0){let data1=data.share;if(!(data1===
"none"||data1==="group")){const err3={instancePath:instancePath+"/share",schemaPath:"#/properties/share/enum",keyword:"enum",params:{allowedValues:schema88.properties.
share.enum}};vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}}if(data.max_size!==void 0){let data2=data.max_size;if(typeof data2!="string"&&!(typeof data2==
"number"&&!(data2%1)&&!isNaN(data2))){const err4={instancePath:instancePath+"/max_size",schemaPath:"#/definitions/size/type",keyword:"type",params:{type:schema37.
type}};vErrors===null?vErrors=[err4]:vErrors.push(err4),errors++}if(typeof data2=="number"&&(data2<=0||isNaN(data2))){const err5={instancePath:instancePath+"/ma\
x_size",schemaPath:"#/definitions/size/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err5]:vErrors.push(
err5),errors++}if(typeof data2=="string"&&!pattern42.test(data2)){const err6={instancePath:instancePath+"/max_size",schemaPath:"#/definitions/size/pattern",keyword:"\
pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?([KMGT]i?)?B?$"}};vErrors===null?vErrors=[err6]:vErrors.push(err6),errors++}}if(data.max_states!==void 0){let data3=data.
max_states;if(typeof data3!="string"&&!(typeof data3=="number"&&!(data3%1)&&!isNaN(data3))){const err7={instancePath:instancePath+"/max_states",schemaPath:"#/de\
finitions/size/type",keyword:"type",params:{type:schema37.type}};vErrors===null?vErrors=[err7]:vErrors.push(err7),errors++}if(typeof data3=="number"&&(data3<=0||
isNaN(data3))){const err8={instancePath:instancePath+"/max_states",schemaPath:"#/definitions/size/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:"\
>",limit:0}};vErrors===null?vErrors=[err8]:vErrors.push(err8),errors++}if(typeof data3=="string"&&!pattern42.test(data3)){const err9={instancePath:instancePath+
"/max_states",schemaPath:"#/definitions/size/pattern",keyword:"pattern",params:{pattern:"^[0-9]+(\\.[0-9]+)?([KMGT]i?)?B?$"}};vErrors===null?vErrors=[err9]:vErrors.
push(err9),errors++}}data.remote!==void 0&&(validate56(data.remote,{instancePath:instancePath+"/remote",parentData:data,parentDataProperty:"remote",rootData})||
(vErrors=vErrors===null?validate56.errors:vErrors.concat(validate56.errors),errors=vErrors.length))}else{const err10={instancePath,schemaPath:"#/type",keyword:"\
type",params:{type:"object"}};vErrors===null?vErrors=[err10]:vErrors.push(err10),errors++}return validate55.errors=vErrors,errors===0}const schema94={type:"arra\
y",items:{type:"object",additionalProperties:!1,required:["name","address"],properties:{name:{allOf:[{$ref:"#/definitions/id"}]},address:{type:"string",pattern:"\
^(https?://)?[A-Za-z0-9\\[][^/\\s@]*/?$"},agents:{type:"string",pattern:"^https?://[^/\\s@]+/?$"},roles:{type:"array",items:{enum:["node-server","agent-server",
"ray-head","ray-worker"]},minItems:1},containers:{type:"integer",minimum:1},ssh:{type:"string",pattern:"^[^-\\s][^\\s]*$"},activate:{type:"string",pattern:"\\S"},
program:{type:"string",pattern:"\\S"},folder:{type:"string",pattern:"^[/~]"},resources:{type:"object",additionalProperties:!1,properties:{cpu:{type:"integer",minimum:0},
gpu:{type:"integer",minimum:0},sandbox:{type:"integer",minimum:0},sandbox_start_up:{type:"integer",minimum:0},container:{type:"integer",minimum:0},container_start_up:{
type:"integer",minimum:0},tar_io:{type:"integer",minimum:0}}}}}},pattern197=new RegExp("^(https?://)?[A-Za-z0-9\\[][^/\\s@]*/?$","u"),pattern198=new RegExp("^ht\
tps?://[^/\\s@]+/?$","u"),pattern199=new RegExp("^[^-\\s][^\\s]*$","u");function validate59(data,{instancePath="",parentData,parentDataProperty,rootData=data}={}){
let vErrors=null,errors=0;if(Array.isArray(data)){const len0=data.length;for(let i0=0;i0<len0;i0++){let data0=data[i0];if(data0&&typeof data0=="object"&&!Array.
isArray(data0)){if(data0.name===void 0){const err0={instancePath:instancePath+"/"+i0,schemaPath:"#/items/required",keyword:"required",params:{missingProperty:"n\
ame"}};vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}if(data0.address===void 0){const err1={instancePath:instancePath+"/"+i0,schemaPath:"#/items/req\
uired",keyword:"required",params:{missingProperty:"address"}};vErrors===null?vErrors=[err1]:vErrors.push(err1),errors++}for(const key0 in data0)if(!func2.call(schema94.
items.properties,key0)){const err2={instancePath:instancePath+"/"+i0,schemaPath:"#/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key0}};
vErrors===null?vErrors=[err2]:vErrors.push(err2),errors++}if(data0.name!==void 0){let data1=data0.name;if(typeof data1=="string"){if(!pattern1.test(data1)){const err3={
instancePath:instancePath+"/"+i0+"/name",schemaPath:"#/definitions/id/pattern",keyword:"pattern",params:{pattern:"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"}};vErrors===
null?vErrors=[err3]:vErrors.push(err3),errors++}}else{const err4={instancePath:instancePath+"/"+i0+"/name",schemaPath:"#/definitions/id/type",keyword:"type",params:{
type:"string"}};vErrors===null?vErrors=[err4]:vErrors.push(err4),errors++}}if(data0.address!==void 0){let data2=data0.address;if(typeof data2=="string"){if(!pattern197.
test(data2)){const err5={instancePath:instancePath+"/"+i0+"/address",schemaPath:"#/items/properties/address/pattern",keyword:"pattern",params:{pattern:"^(https?\
://)?[A-Za-z0-9\\[][^/\\s@]*/?$"}};vErrors===null?vErrors=[err5]:vErrors.push(err5),errors++}}else{const err6={instancePath:instancePath+"/"+i0+"/address",schemaPath:"\
#/items/properties/address/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err6]:vErrors.push(err6),errors++}}if(data0.agents!==void 0){let data3=data0.
agents;if(typeof data3=="string"){if(!pattern198.test(data3)){const err7={instancePath:instancePath+"/"+i0+"/agents",schemaPath:"#/items/properties/agents/patte\
rn",keyword:"pattern",params:{pattern:"^https?://[^/\\s@]+/?$"}};vErrors===null?vErrors=[err7]:vErrors.push(err7),errors++}}else{const err8={instancePath:instancePath+
"/"+i0+"/agents",schemaPath:"#/items/properties/agents/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err8]:vErrors.push(err8),errors++}}if(data0.
roles!==void 0){let data4=data0.roles;if(Array.isArray(data4)){if(data4.length<1){const err9={instancePath:instancePath+"/"+i0+"/roles",schemaPath:"#/items/prop\
erties/roles/minItems",keyword:"minItems",params:{limit:1}};vErrors===null?vErrors=[err9]:vErrors.push(err9),errors++}const len1=data4.length;for(let i1=0;i1<len1;i1++){
let data5=data4[i1];if(!(data5==="node-server"||data5==="agent-server"||data5==="ray-head"||data5==="ray-worker")){const err10={instancePath:instancePath+"/"+i0+
"/roles/"+i1,schemaPath:"#/items/properties/roles/items/enum",keyword:"enum",params:{allowedValues:schema94.items.properties.roles.items.enum}};vErrors===null?vErrors=
[err10]:vErrors.push(err10),errors++}}}else{const err11={instancePath:instancePath+"/"+i0+"/roles",schemaPath:"#/items/properties/roles/type",keyword:"type",params:{
type:"array"}};vErrors===null?vErrors=[err11]:vErrors.push(err11),errors++}}if(data0.containers!==void 0){let data6=data0.containers;if(!(typeof data6=="number"&&
!(data6%1)&&!isNaN(data6))){const err12={instancePath:instancePath+"/"+i0+"/containers",schemaPath:"#/items/properties/containers/type",keyword:"type",params:{type:"\
integer"}};vErrors===null?vErrors=[err12]:vErrors.push(err12),errors++}if(typeof data6=="number"&&(data6<1||isNaN(data6))){const err13={instancePath:instancePath+
"/"+i0+"/containers",schemaPath:"#/items/properties/containers/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err13]:vErrors.
push(err13),errors++}}if(data0.ssh!==void 0){let data7=data0.ssh;if(typeof data7=="string"){if(!pattern199.test(data7)){const err14={instancePath:instancePath+"\
/"+i0+"/ssh",schemaPath:"#/items/properties/ssh/pattern",keyword:"pattern",params:{pattern:"^[^-\\s][^\\s]*$"}};vErrors===null?vErrors=[err14]:vErrors.push(err14),
errors++}}else{const err15={instancePath:instancePath+"/"+i0+"/ssh",schemaPath:"#/items/properties/ssh/type",keyword:"type",params:{type:"string"}};vErrors===null?
vErrors=[err15]:vErrors.push(err15),errors++}}if(data0.activate!==void 0){let data8=data0.activate;if(typeof data8=="string"){if(!pattern2.test(data8)){const err16={
instancePath:instancePath+"/"+i0+"/activate",schemaPath:"#/items/properties/activate/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===null?vErrors=[
err16]:vErrors.push(err16),errors++}}else{const err17={instancePath:instancePath+"/"+i0+"/activate",schemaPath:"#/items/properties/activate/type",keyword:"type",
params:{type:"string"}};vErrors===null?vErrors=[err17]:vErrors.push(err17),errors++}}if(data0.program!==void 0){let data9=data0.program;if(typeof data9=="string"){
if(!pattern2.test(data9)){const err18={instancePath:instancePath+"/"+i0+"/program",schemaPath:"#/items/properties/program/pattern",keyword:"pattern",params:{pattern:"\
\\S"}};vErrors===null?vErrors=[err18]:vErrors.push(err18),errors++}}else{const err19={instancePath:instancePath+"/"+i0+"/program",schemaPath:"#/items/properties\
/program/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err19]:vErrors.push(err19),errors++}}if(data0.folder!==void 0){let data10=data0.folder;
if(typeof data10=="string"){if(!pattern56.test(data10)){const err20={instancePath:instancePath+"/"+i0+"/folder",schemaPath:"#/items/properties/folder/pattern",keyword:"\
pattern",params:{pattern:"^[/~]"}};vErrors===null?vErrors=[err20]:vErrors.push(err20),errors++}}else{const err21={instancePath:instancePath+"/"+i0+"/folder",schemaPath:"\
#/items/properties/folder/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err21]:vErrors.push(err21),errors++}}if(data0.resources!==void 0){
let data11=data0.resources;if(data11&&typeof data11=="object"&&!Array.isArray(data11)){for(const key1 in data11)if(!(key1==="cpu"||key1==="gpu"||key1==="sandbox"||
key1==="sandbox_start_up"||key1==="container"||key1==="container_start_up"||key1==="tar_io")){const err22={instancePath:instancePath+"/"+i0+"/resources",schemaPath:"\
#/items/properties/resources/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key1}};vErrors===null?vErrors=[err22]:vErrors.push(
err22),errors++}if(data11.cpu!==void 0){let data12=data11.cpu;if(!(typeof data12=="number"&&!(data12%1)&&!isNaN(data12))){const err23={instancePath:instancePath+
"/"+i0+"/resources/cpu",schemaPath:"#/items/properties/resources/properties/cpu/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err23]:vErrors.
push(err23),errors++}if(typeof data12=="number"&&(data12<0||isNaN(data12))){const err24={instancePath:instancePath+"/"+i0+"/resources/cpu",schemaPath:"#/items/p\
roperties/resources/properties/cpu/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err24]:vErrors.push(err24),errors++}}if(data11.
gpu!==void 0){let data13=data11.gpu;if(!(typeof data13=="number"&&!(data13%1)&&!isNaN(data13))){const err25={instancePath:instancePath+"/"+i0+"/resources/gpu",schemaPath:"\
#/items/properties/resources/properties/gpu/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err25]:vErrors.push(err25),errors++}if(typeof data13==
"number"&&(data13<0||isNaN(data13))){const err26={instancePath:instancePath+"/"+i0+"/resources/gpu",schemaPath:"#/items/properties/resources/properties/gpu/mini\
mum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err26]:vErrors.push(err26),errors++}}if(data11.sandbox!==void 0){let data14=data11.
sandbox;if(!(typeof data14=="number"&&!(data14%1)&&!isNaN(data14))){const err27={instancePath:instancePath+"/"+i0+"/resources/sandbox",schemaPath:"#/items/prope\
rties/resources/properties/sandbox/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err27]:vErrors.push(err27),errors++}if(typeof data14=="\
number"&&(data14<0||isNaN(data14))){const err28={instancePath:instancePath+"/"+i0+"/resources/sandbox",schemaPath:"#/items/properties/resources/properties/sandb\
ox/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err28]:vErrors.push(err28),errors++}}if(data11.sandbox_start_up!==void 0){
let data15=data11.sandbox_start_up;if(!(typeof data15=="number"&&!(data15%1)&&!isNaN(data15))){const err29={instancePath:instancePath+"/"+i0+"/resources/sandbox\
_start_up",schemaPath:"#/items/properties/resources/properties/sandbox_start_up/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err29]:vErrors.
push(err29),errors++}if(typeof data15=="number"&&(data15<0||isNaN(data15))){const err30={instancePath:instancePath+"/"+i0+"/resources/sandbox_start_up",schemaPath:"\
#/items/properties/resources/properties/sandbox_start_up/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err30]:vErrors.push(
err30),errors++}}if(data11.container!==void 0){let data16=data11.container;if(!(typeof data16=="number"&&!(data16%1)&&!isNaN(data16))){const err31={instancePath:instancePath+
"/"+i0+"/resources/container",schemaPath:"#/items/properties/resources/properties/container/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=
[err31]:vErrors.push(err31),errors++}if(typeof data16=="number"&&(data16<0||isNaN(data16))){const err32={instancePath:instancePath+"/"+i0+"/resources/container",
schemaPath:"#/items/properties/resources/properties/container/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?vErrors=[err32]:vErrors.
push(err32),errors++}}if(data11.container_start_up!==void 0){let data17=data11.container_start_up;if(!(typeof data17=="number"&&!(data17%1)&&!isNaN(data17))){const err33={
instancePath:instancePath+"/"+i0+"/resources/container_start_up",schemaPath:"#/items/properties/resources/properties/container_start_up/type",keyword:"type",params:{
type:"integer"}};vErrors===null?vErrors=[err33]:vErrors.push(err33),errors++}if(typeof data17=="number"&&(data17<0||isNaN(data17))){const err34={instancePath:instancePath+
"/"+i0+"/resources/container_start_up",schemaPath:"#/items/properties/resources/properties/container_start_up/minimum",keyword:"minimum",params:{comparison:">=",
limit:0}};vErrors===null?vErrors=[err34]:vErrors.push(err34),errors++}}if(data11.tar_io!==void 0){let data18=data11.tar_io;if(!(typeof data18=="number"&&!(data18%
1)&&!isNaN(data18))){const err35={instancePath:instancePath+"/"+i0+"/resources/tar_io",schemaPath:"#/items/properties/resources/properties/tar_io/type",keyword:"\
type",params:{type:"integer"}};vErrors===null?vErrors=[err35]:vErrors.push(err35),errors++}if(typeof data18=="number"&&(data18<0||isNaN(data18))){const err36={instancePath:instancePath+
"/"+i0+"/resources/tar_io",schemaPath:"#/items/properties/resources/properties/tar_io/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};vErrors===null?
vErrors=[err36]:vErrors.push(err36),errors++}}}else{const err37={instancePath:instancePath+"/"+i0+"/resources",schemaPath:"#/items/properties/resources/type",keyword:"\
type",params:{type:"object"}};vErrors===null?vErrors=[err37]:vErrors.push(err37),errors++}}}else{const err38={instancePath:instancePath+"/"+i0,schemaPath:"#/ite\
ms/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err38]:vErrors.push(err38),errors++}}}else{const err39={instancePath,schemaPath:"#/type",
keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err39]:vErrors.push(err39),errors++}return validate59.errors=vErrors,errors===0}const schema96={type:"\
object",additionalProperties:!1,properties:{cpu:{type:"integer",minimum:1},sandbox:{type:"integer",minimum:1},rollout:{type:"integer",minimum:1},memory:{allOf:[
{$ref:"#/definitions/size"}]},sandbox_start_up:{type:"integer",minimum:1},tar_io:{type:"integer",minimum:1}}};function validate61(data,{instancePath="",parentData,
parentDataProperty,rootData=data}={}){let vErrors=null,errors=0;if(data&&typeof data=="object"&&!Array.isArray(data)){for(const key0 in data)if(!(key0==="cpu"||
key0==="sandbox"||key0==="rollout"||key0==="memory"||key0==="sandbox_start_up"||key0==="tar_io")){const err0={instancePath,schemaPath:"#/additionalProperties",keyword:"\
additionalProperties",params:{additionalProperty:key0}};vErrors===null?vErrors=[err0]:vErrors.push(err0),errors++}if(data.cpu!==void 0){let data0=data.cpu;if(!(typeof data0==
"number"&&!(data0%1)&&!isNaN(data0))){const err1={instancePath:instancePath+"/cpu",schemaPath:"#/properties/cpu/type",keyword:"type",params:{type:"integer"}};vErrors===
null?vErrors=[err1]:vErrors.push(err1),errors++}if(typeof data0=="number"&&(data0<1||isNaN(data0))){const err2={instancePath:instancePath+"/cpu",schemaPath:"#/p\
roperties/cpu/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err2]:vErrors.push(err2),errors++}}if(data.sandbox!==void 0){
let data1=data.sandbox;if(!(typeof data1=="number"&&!(data1%1)&&!isNaN(data1))){const err3={instancePath:instancePath+"/sandbox",schemaPath:"#/properties/sandbo\
x/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}if(typeof data1=="number"&&(data1<1||isNaN(data1))){const err4={
instancePath:instancePath+"/sandbox",schemaPath:"#/properties/sandbox/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err4]:
vErrors.push(err4),errors++}}if(data.rollout!==void 0){let data2=data.rollout;if(!(typeof data2=="number"&&!(data2%1)&&!isNaN(data2))){const err5={instancePath:instancePath+
"/rollout",schemaPath:"#/properties/rollout/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err5]:vErrors.push(err5),errors++}if(typeof data2==
"number"&&(data2<1||isNaN(data2))){const err6={instancePath:instancePath+"/rollout",schemaPath:"#/properties/rollout/minimum",keyword:"minimum",params:{comparison:"\
>=",limit:1}};vErrors===null?vErrors=[err6]:vErrors.push(err6),errors++}}if(data.memory!==void 0){let data3=data.memory;if(typeof data3!="string"&&!(typeof data3==
"number"&&!(data3%1)&&!isNaN(data3))){const err7={instancePath:instancePath+"/memory",schemaPath:"#/definitions/size/type",keyword:"type",params:{type:schema37.
type}};vErrors===null?vErrors=[err7]:vErrors.push(err7),errors++}if(typeof data3=="number"&&(data3<=0||isNaN(data3))){const err8={instancePath:instancePath+"/me\
mory",schemaPath:"#/definitions/size/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison:">",limit:0}};vErrors===null?vErrors=[err8]:vErrors.push(err8),
errors++}if(typeof data3=="string"&&!pattern42.test(data3)){const err9={instancePath:instancePath+"/memory",schemaPath:"#/definitions/size/pattern",keyword:"pat\
tern",params:{pattern:"^[0-9]+(\\.[0-9]+)?([KMGT]i?)?B?$"}};vErrors===null?vErrors=[err9]:vErrors.push(err9),errors++}}if(data.sandbox_start_up!==void 0){let data4=data.
sandbox_start_up;if(!(typeof data4=="number"&&!(data4%1)&&!isNaN(data4))){const err10={instancePath:instancePath+"/sandbox_start_up",schemaPath:"#/properties/sa\
ndbox_start_up/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[err10]:vErrors.push(err10),errors++}if(typeof data4=="number"&&(data4<1||isNaN(
data4))){const err11={instancePath:instancePath+"/sandbox_start_up",schemaPath:"#/properties/sandbox_start_up/minimum",keyword:"minimum",params:{comparison:">=",
limit:1}};vErrors===null?vErrors=[err11]:vErrors.push(err11),errors++}}if(data.tar_io!==void 0){let data5=data.tar_io;if(!(typeof data5=="number"&&!(data5%1)&&!isNaN(
data5))){const err12={instancePath:instancePath+"/tar_io",schemaPath:"#/properties/tar_io/type",keyword:"type",params:{type:"integer"}};vErrors===null?vErrors=[
err12]:vErrors.push(err12),errors++}if(typeof data5=="number"&&(data5<1||isNaN(data5))){const err13={instancePath:instancePath+"/tar_io",schemaPath:"#/propertie\
s/tar_io/minimum",keyword:"minimum",params:{comparison:">=",limit:1}};vErrors===null?vErrors=[err13]:vErrors.push(err13),errors++}}}else{const err14={instancePath,
schemaPath:"#/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err14]:vErrors.push(err14),errors++}return validate61.errors=vErrors,errors===
0}function validate10(data,{instancePath="",parentData,parentDataProperty,rootData=data}={}){let vErrors=null,errors=0;if(data&&typeof data=="object"&&!Array.isArray(
data)){if(data.version===void 0){const err0={instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty:"version"}};vErrors===null?vErrors=
[err0]:vErrors.push(err0),errors++}if(data.name===void 0){const err1={instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty:"name"}};vErrors===
null?vErrors=[err1]:vErrors.push(err1),errors++}if(data.dataset===void 0){const err2={instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty:"\
dataset"}};vErrors===null?vErrors=[err2]:vErrors.push(err2),errors++}for(const key0 in data)if(!func2.call(schema11.properties,key0)){const err3={instancePath,schemaPath:"\
#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:key0}};vErrors===null?vErrors=[err3]:vErrors.push(err3),errors++}if(data.version!==
void 0&&data.version!==1){const err4={instancePath:instancePath+"/version",schemaPath:"#/properties/version/const",keyword:"const",params:{allowedValue:1}};vErrors===
null?vErrors=[err4]:vErrors.push(err4),errors++}if(data.name!==void 0){let data1=data.name;if(typeof data1=="string"){if(!pattern0.test(data1)){const err5={instancePath:instancePath+
"/name",schemaPath:"#/properties/name/pattern",keyword:"pattern",params:{pattern:"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"}};vErrors===null?vErrors=[err5]:vErrors.push(
err5),errors++}}else{const err6={instancePath:instancePath+"/name",schemaPath:"#/properties/name/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=
[err6]:vErrors.push(err6),errors++}}if(data.dataset!==void 0){let data2=data.dataset;if(data2&&typeof data2=="object"&&!Array.isArray(data2)){if(Object.keys(data2).
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
null?validate15.errors:vErrors.concat(validate15.errors),errors=vErrors.length)),data.deployments!==void 0&&(validate21(data.deployments,{instancePath:instancePath+
"/deployments",parentData:data,parentDataProperty:"deployments",rootData})||(vErrors=vErrors===null?validate21.errors:vErrors.concat(validate21.errors),errors=vErrors.
length)),data.validation!==void 0&&(validate25(data.validation,{instancePath:instancePath+"/validation",parentData:data,parentDataProperty:"validation",rootData})||
(vErrors=vErrors===null?validate25.errors:vErrors.concat(validate25.errors),errors=vErrors.length)),data.agent!==void 0&&(validate27(data.agent,{instancePath:instancePath+
"/agent",parentData:data,parentDataProperty:"agent",rootData})||(vErrors=vErrors===null?validate27.errors:vErrors.concat(validate27.errors),errors=vErrors.length)),
data.grading!==void 0&&(validate37(data.grading,{instancePath:instancePath+"/grading",parentData:data,parentDataProperty:"grading",rootData})||(vErrors=vErrors===
null?validate37.errors:vErrors.concat(validate37.errors),errors=vErrors.length)),data.trainer!==void 0&&(validate39(data.trainer,{instancePath:instancePath+"/tr\
ainer",parentData:data,parentDataProperty:"trainer",rootData})||(vErrors=vErrors===null?validate39.errors:vErrors.concat(validate39.errors),errors=vErrors.length)),
data.evaluation!==void 0&&(validate48(data.evaluation,{instancePath:instancePath+"/evaluation",parentData:data,parentDataProperty:"evaluation",rootData})||(vErrors=
vErrors===null?validate48.errors:vErrors.concat(validate48.errors),errors=vErrors.length)),data.targets!==void 0){let data11=data.targets;if(Array.isArray(data11)){
if(data11.length<1){const err12={instancePath:instancePath+"/targets",schemaPath:"#/definitions/targets/minItems",keyword:"minItems",params:{limit:1}};vErrors===
null?vErrors=[err12]:vErrors.push(err12),errors++}const len0=data11.length;for(let i0=0;i0<len0;i0++){let data12=data11[i0];if(typeof data12=="string"){if(!pattern2.
test(data12)){const err13={instancePath:instancePath+"/targets/"+i0,schemaPath:"#/definitions/targets/items/pattern",keyword:"pattern",params:{pattern:"\\S"}};vErrors===
null?vErrors=[err13]:vErrors.push(err13),errors++}}else{const err14={instancePath:instancePath+"/targets/"+i0,schemaPath:"#/definitions/targets/items/type",keyword:"\
type",params:{type:"string"}};vErrors===null?vErrors=[err14]:vErrors.push(err14),errors++}}}else{const err15={instancePath:instancePath+"/targets",schemaPath:"#\
/definitions/targets/type",keyword:"type",params:{type:"array"}};vErrors===null?vErrors=[err15]:vErrors.push(err15),errors++}}if(data.out!==void 0){let data13=data.
out;if(typeof data13=="string"){if(!pattern2.test(data13)){const err16={instancePath:instancePath+"/out",schemaPath:"#/definitions/out/pattern",keyword:"pattern",
params:{pattern:"\\S"}};vErrors===null?vErrors=[err16]:vErrors.push(err16),errors++}}else{const err17={instancePath:instancePath+"/out",schemaPath:"#/definition\
s/out/type",keyword:"type",params:{type:"string"}};vErrors===null?vErrors=[err17]:vErrors.push(err17),errors++}}data.cache!==void 0&&(validate55(data.cache,{instancePath:instancePath+
"/cache",parentData:data,parentDataProperty:"cache",rootData})||(vErrors=vErrors===null?validate55.errors:vErrors.concat(validate55.errors),errors=vErrors.length)),
data.nodes!==void 0&&(validate59(data.nodes,{instancePath:instancePath+"/nodes",parentData:data,parentDataProperty:"nodes",rootData})||(vErrors=vErrors===null?validate59.
errors:vErrors.concat(validate59.errors),errors=vErrors.length)),data.resources!==void 0&&(validate61(data.resources,{instancePath:instancePath+"/resources",parentData:data,
parentDataProperty:"resources",rootData})||(vErrors=vErrors===null?validate61.errors:vErrors.concat(validate61.errors),errors=vErrors.length))}else{const err18={
instancePath,schemaPath:"#/type",keyword:"type",params:{type:"object"}};vErrors===null?vErrors=[err18]:vErrors.push(err18),errors++}return validate10.errors=vErrors,
errors===0}
