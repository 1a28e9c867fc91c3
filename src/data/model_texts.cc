#include "data/model_texts.h"

#include <algorithm>

#include "core/json.h"
#include "record/answer_json.h"
#include "record/events.h"
#include "syntax/lexer.h"

namespace zermelo::data {

namespace event = record::event;
using nlohmann::json;

namespace {

/// Whether the model's side of a message contains code with these tokens.
bool Has(const llm::Message& message, const std::string& key) {
  if (message.role != "assistant") return false;
  if (syntax::TokenKey(message.content).find(key) != std::string::npos) return true;
  return std::ranges::any_of(message.tool_calls, [&](const llm::ToolCall& call) {
    const json arguments = core::JsonOrDiscarded(call.arguments);
    return arguments.is_object() && std::ranges::any_of(arguments, [&](const json& argument) {
             return argument.is_string() &&
                    syntax::TokenKey(argument.get<std::string>()).find(key) != std::string::npos;
           });
  });
}

}  // namespace

std::vector<std::string> ModelTexts::Kinds() {
  return {std::string(event::kGenerated), std::string(event::kSketched),
          std::string(event::kMessage), std::string(event::kContextCut),
          std::string(event::kRoundBegun)};
}

void ModelTexts::Use(const store::Event& event, const json& fields, int64_t theorem) {
  if (event.kind == event::kGenerated && event.call) return AddReplies(*event.call);
  if (event.kind == event::kSketched) {
    if (fields.value("lemma", 0) == 0) {
      AddGuide({.theorem = theorem, .words = fields.value("words", ""), .notes = {}});
    }
    return AddSketch(fields, theorem);
  }
  if (event.kind == event::kRoundBegun && fields.value("task", "").empty()) {
    AddGuide({.theorem = theorem, .words = fields.value("words", ""), .notes = {}});
    AddGuide({.theorem = theorem, .words = {}, .notes = fields.value("notes", "")});
  }
  const bool cut = event.kind == event::kContextCut;
  if (!cut && event.kind != event::kMessage) return;
  const Speaker speaker(fields.value("task", ""), fields.value("by", ""));
  Dialogue& dialogue = dialogues_[{theorem, speaker}];
  dialogue.theorem = theorem;
  dialogue.was_cut |= cut;
  if (!cut) dialogue.messages.push_back(record::MessageOf(fields));
}

void ModelTexts::AddReplies(const store::ModelCall& call) {
  const json described = record::FromText(call.request);
  const auto answer = record::AnswerOf<record::ModelAnswer>(record::FromText(call.reply));
  if (!described.contains("request") || !answer || !answer->outcome) return;
  const json& request = described.at("request");
  Reply reply{.model = call.model};
  if (request.contains("prompt")) {
    reply.prompt = request.at("prompt").get<std::string>();
  } else {
    std::vector<llm::Message> messages;
    for (const json& row : request.at("messages")) messages.push_back(record::MessageOf(row));
    reply.prompt = std::move(messages);
  }
  for (const llm::Completion& completion : answer->outcome->completions) {
    reply.text = completion.text;
    reply.reasoning = completion.reasoning;
    reply.key = syntax::TokenKey(completion.text);
    by_text_[reply.text] = replies_.size();
    replies_.push_back(reply);
  }
}

void ModelTexts::AddGuide(Told told) {
  if (told.words.empty() && told.notes.empty()) return;
  if (std::ranges::find(told_, told) == told_.end()) told_.push_back(std::move(told));
}

void ModelTexts::AddSketch(const json& fields, int64_t theorem) {
  const auto reply = by_text_.find(fields.value("reply", ""));
  if (reply == by_text_.end()) return;
  sketches_.push_back({.theorem = theorem,
                       .reply = reply->second,
                       .reward = fields.at("reward"),
                       .rubric = fields.value("rubric", json())});
}

bool ModelTexts::Shows(const Reply& reply, const std::string& statement) {
  if (const auto* text = std::get_if<std::string>(&reply.prompt)) {
    return text->find(statement) != std::string::npos;
  }
  return std::ranges::any_of(
      std::get<std::vector<llm::Message>>(reply.prompt),
      [&](const auto& message) { return message.content.find(statement) != std::string::npos; });
}

void ModelTexts::Collect(const Wanted& wanted, Material& material) const {
  const auto add = [&](const Reply& reply, const std::string& kind) -> ReplyExample& {
    ReplyExample example{.origin = wanted.origin, .kind = kind, .prompt = reply.prompt};
    example.origin.source["model"] = reply.model;
    example.reply = reply.text;
    example.reasoning = reply.reasoning;
    return material.replies.emplace_back(std::move(example));
  };
  for (const Sketch& sketch : sketches_) {
    if (sketch.theorem != wanted.position) continue;
    ReplyExample& example = add(replies_[sketch.reply], "sketch");
    example.reward = sketch.reward;
    example.rubric = sketch.rubric;
  }
  for (const Told& told : told_) {
    if (told.theorem != wanted.position || !wanted.only_hole) continue;
    material.guides.push_back({.origin = wanted.origin, .words = told.words, .notes = told.notes});
  }
  if (wanted.proof.empty()) return;
  const std::string key = syntax::TokenKey(wanted.proof);
  for (const Reply& reply : replies_) {
    if (reply.key.find(key) == std::string::npos) continue;
    if (!Shows(reply, wanted.origin.theorem.Opening())) continue;
    const auto* chat = std::get_if<std::vector<llm::Message>>(&reply.prompt);
    const bool corrects = chat != nullptr && std::ranges::any_of(*chat, [](const auto& message) {
                            return message.role == "assistant";
                          });
    add(reply, corrects ? "correction" : "reply");
  }
  for (const auto& [speaker, dialogue] : dialogues_) {
    if (dialogue.theorem != wanted.position) continue;
    const bool proves = std::ranges::any_of(dialogue.messages,
                                            [&](const auto& message) { return Has(message, key); });
    if (!proves) continue;
    if (dialogue.was_cut) {
      ++material.skipped["context_cut"];
      continue;
    }
    material.conversations.push_back({.origin = wanted.origin, .messages = dialogue.messages});
  }
}

}  // namespace zermelo::data
