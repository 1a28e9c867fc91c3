#include "serve/lsp/features.h"

#include <algorithm>
#include <fmt/format.h>

#include "serve/lsp/wording.h"

namespace zermelo::serve::lsp {

using nlohmann::json;

namespace {

// No on-save hook may run these: a proof takes minutes, and models cost money.
constexpr const char* kKind = "quickfix";

struct Offer {
  std::string title;  // "Prove with kimina"
  json command;       // LSP's Command
};

Offer MakeOffer(const std::string& title, const char* command, json argument) {
  json call{{"title", title}, {"command", command}};
  call["arguments"] = json::array({std::move(argument)});
  return {title, std::move(call)};
}

json ArgumentFor(const TextView& view, const SorryPlace& place) {
  return {{"uri", view.uri},
          {"position", PositionJson(view.lines, place.hole.begin, view.encoding)},
          {"theorem", place.name}};
}

/// What can be done about one `sorry`. `of`: what to put after the verb, as in "Prove `t`".
std::vector<Offer> OffersFor(const TextView& view, const SorryPlace& place,
                             const std::vector<std::string>& models, const Attempts& attempts,
                             const std::string& of) {
  const json argument = ArgumentFor(view, place);
  std::vector<Offer> offers;
  if (attempts.IsTrying(view.uri, place.id)) {
    offers.push_back(
        MakeOffer("Stop the search" + (of.empty() ? "" : " for" + of), command::kCancel, argument));
    return offers;
  }
  offers.push_back(MakeOffer("Prove" + of, command::kProve, argument));
  for (const std::string& model : models) {
    json with = argument;
    with["model"] = model;
    offers.push_back(MakeOffer("Prove" + of + " with " + model, command::kProve, std::move(with)));
  }
  offers.push_back(MakeOffer("Disprove" + of, command::kDisprove, argument));
  return offers;
}

Offer OfferAll(const TextView& view) {
  return MakeOffer(fmt::format("Prove all {} in this file", view.sorries.size()),
                   command::kProveAll, {{"uri", view.uri}});
}

json Action(const Offer& offer, bool literals) {
  json command = offer.command;
  command["title"] = "Zermelo: " + offer.title;
  if (!literals) return command;
  return {{"title", command["title"]}, {"kind", kKind}, {"command", command}};
}

bool Overlaps(const TextView& view, size_t from, size_t to, size_t begin, size_t end) {
  return view.lines.LineOf(from) <= view.lines.LineOf(end) &&
         view.lines.LineOf(begin) <= view.lines.LineOf(to);
}

}  // namespace

json CodeLenses(const TextView& view, const std::vector<std::string>& models,
                const Attempts& attempts) {
  json lenses = json::array();
  const auto add = [&](const SorryPlace& place, const Offer& offer) {
    lenses.push_back({{"range", view.RangeOf(place)}, {"command", offer.command}});
  };
  for (const SorryPlace& place : view.sorries) {
    for (const Offer& offer : OffersFor(view, place, models, attempts, "")) add(place, offer);
    if (&place == &view.sorries.front() && view.sorries.size() > 1) add(place, OfferAll(view));
  }
  return lenses;
}

json CodeActions(const TextView& view, size_t begin, size_t end,
                 const std::vector<std::string>& models, const Attempts& attempts, bool literals) {
  std::vector<const SorryPlace*> chosen;
  for (const SorryPlace& place : view.sorries) {
    if (Overlaps(view, place.hole.begin, place.hole.end, begin, end)) chosen.push_back(&place);
  }
  const bool on_sorry = !chosen.empty();
  for (const SorryPlace& place : view.sorries) {
    const syntax::TextRange& range = place.declaration.range;
    if (!on_sorry && Overlaps(view, range.begin, range.end, begin, end)) chosen.push_back(&place);
  }
  json actions = json::array();
  for (const SorryPlace* place : chosen) {
    for (const Offer& offer : OffersFor(view, *place, models, attempts, " `" + place->name + "`")) {
      actions.push_back(Action(offer, literals));
    }
  }
  if (!chosen.empty() && view.sorries.size() > 1) {
    actions.push_back(Action(OfferAll(view), literals));
  }
  return actions;
}

json Hover(const TextView& view, size_t offset, const Attempts& attempts, bool markdown) {
  const auto place = std::ranges::find_if(view.sorries, [&](const SorryPlace& p) {
    return p.hole.begin <= offset && offset < p.hole.end;
  });
  if (place == view.sorries.end()) return nullptr;
  const std::string about = attempts.About(view.uri, place->id);
  if (about.empty()) return nullptr;
  json content{{"kind", markdown ? "markdown" : "plaintext"},
               {"value", markdown ? about : WithoutMarkdown(about)}};
  return {{"contents", std::move(content)}, {"range", view.RangeOf(*place)}};
}

}  // namespace zermelo::serve::lsp
