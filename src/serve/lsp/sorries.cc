#include "serve/lsp/sorries.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

#include "core/hash/sha256.h"
#include "core/text.h"
#include "engine/open_file.h"
#include "syntax/proof/proof_site.h"
#include "syntax/proof/proof_text.h"

namespace zermelo::serve::lsp {

using syntax::Declaration;

namespace {

using DeclarationKey = std::pair<std::string, std::string>;  // name and digest

/// The only element for which `wanted` holds.
template <class Wanted>
const SorryPlace* Only(const std::vector<SorryPlace>& places, Wanted wanted) {
  const auto first = std::ranges::find_if(places, wanted);
  if (first == places.end()) return nullptr;
  return std::find_if(first + 1, places.end(), wanted) == places.end() ? &*first : nullptr;
}

Edit ProofEdit(const std::string& text, const SorryPlace& place, const std::string& tactics) {
  const std::string after = syntax::SpliceProof(text, place.hole, tactics).text;
  const size_t kept = text.size() - place.hole.end;
  // Blanks before the hole may go, too.
  const auto same = std::mismatch(text.begin(), text.end(), after.begin(), after.end()).first;
  const size_t begin = std::min(static_cast<size_t>(same - text.begin()), place.hole.begin);
  return {begin, place.hole.end, after.substr(begin, after.size() - kept - begin)};
}

Edit AuxiliaryEdit(const std::string& text, const SorryPlace& place, const std::string& auxiliary) {
  const size_t at = syntax::PlaceOfAuxiliary(text, place.declaration);
  std::string after = text;
  syntax::InsertAuxiliary(after, at, auxiliary);
  return {at, at, after.substr(at, after.size() - text.size())};
}

}  // namespace

std::vector<SorryPlace> FindSorries(const std::string& text) {
  const core::LineIndex lines(text);
  std::vector<SorryPlace> places;
  std::map<DeclarationKey, size_t> seen;
  std::vector<Declaration> declarations = syntax::FindDeclarations(text);
  for (Declaration& declaration : declarations) {
    const auto holes = std::exchange(declaration.holes, {});
    if (holes.empty()) continue;
    const auto [begin, end] = declaration.range;
    Sorry id{.declaration = core::Sha256Hex(std::string_view(text).substr(begin, end - begin)),
             .full_name = declaration.full_name};
    id.twin = seen[{id.full_name, id.declaration}]++;
    size_t nth = 0;
    for (const syntax::DeclarationHole& hole : holes) {
      const size_t line = lines.LineOf(hole.begin) + 1;
      if (hole.provable) {
        places.push_back({declaration, hole, engine::HoleName(declaration, hole, line, nth++), id});
      }
      ++id.nth;
    }
  }
  for (SorryPlace& place : places) {
    place.id.twins = seen.at({place.id.full_name, place.id.declaration});
  }
  return places;
}

const SorryPlace* FindAgain(const std::vector<SorryPlace>& places, const Sorry& sorry) {
  const auto found = std::ranges::find(places, sorry, &SorryPlace::id);
  return found == places.end() ? nullptr : &*found;
}

const SorryPlace* Select(const std::vector<SorryPlace>& places, std::string_view text,
                         const Selection& selection) {
  const size_t offset = selection.offset;
  const auto named = [&](const SorryPlace& p) {
    return !selection.name || p.name == *selection.name;
  };
  const auto here = std::ranges::find_if(places, [&](const SorryPlace& p) {
    return p.hole.begin <= offset && offset < p.hole.end && named(p);
  });
  if (here != places.end()) return &*here;
  if (selection.name) return Only(places, named);
  const core::LineIndex lines(text);
  const size_t line = lines.LineOf(offset);
  if (const auto* place =
          Only(places, [&](const SorryPlace& p) { return lines.LineOf(p.hole.begin) == line; })) {
    return place;
  }
  return Only(places, [&](const SorryPlace& p) { return p.declaration.range.Touches(offset); });
}

Placement PlaceProofs(const std::string& text, const std::vector<FoundProof>& proofs) {
  Placement placement;
  const std::vector<SorryPlace> places = FindSorries(text);
  for (const FoundProof& proof : proofs) {
    const SorryPlace* const place = FindAgain(places, proof.sorry);
    if (place == nullptr) {
      placement.homeless.push_back(proof);
      continue;
    }
    if (!proof.auxiliary.empty()) {
      placement.edits.push_back(AuxiliaryEdit(text, *place, proof.auxiliary));
    }
    placement.edits.push_back(ProofEdit(text, *place, proof.tactics));
    placement.placed.push_back(proof);
  }
  std::ranges::stable_sort(placement.edits, {}, &Edit::begin);
  return placement;
}

std::string WithEdits(std::string text, const std::vector<Edit>& edits) {
  for (const Edit& edit : std::views::reverse(edits)) {
    text.replace(edit.begin, edit.end - edit.begin, edit.text);
  }
  return text;
}

std::vector<Move> MovesOf(const std::string& before, const std::vector<Edit>& edits) {
  const std::vector<SorryPlace> after = FindSorries(WithEdits(before, edits));
  std::vector<Move> moves;
  auto edit = edits.begin();
  size_t added = 0;
  size_t removed = 0;
  for (const SorryPlace& place : FindSorries(before)) {
    const size_t begin = place.hole.begin;
    for (; edit != edits.end() && edit->end <= begin; ++edit) {
      added += edit->text.size();
      removed += edit->end - edit->begin;
    }
    if (edit != edits.end() && edit->begin < place.hole.end) continue;
    const size_t now = begin + added - removed;
    const auto found =
        std::ranges::lower_bound(after, now, {}, [](const SorryPlace& p) { return p.hole.begin; });
    if (found != after.end() && found->hole.begin == now) moves.push_back({place.id, found->id});
  }
  return moves;
}

}  // namespace zermelo::serve::lsp
