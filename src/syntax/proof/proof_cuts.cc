#include "syntax/proof/proof_cuts.h"

#include <algorithm>
#include <map>

#include "syntax/lexer.h"

namespace zermelo::syntax {

namespace {

class Cutter {
 public:
  explicit Cutter(std::string_view tactics)
      : text_(tactics), tokens_(LexCode(tactics)), structure_(AnalyzeTactics(tactics, tokens_)) {
    FindCuttable();
  }

  std::vector<CutPoint> Run() const {
    std::map<size_t, size_t> innermost;  // by end: the step
    for (size_t s = 0; s < structure_.steps.size(); ++s) {
      const TacticStep& step = structure_.steps[s];
      if (cuttable_[step.block]) innermost[tokens_[step.last].end] = s;
    }
    std::vector<CutPoint> cuts;
    for (const auto& [end, s] : innermost) cuts.push_back(CutAfter(s));
    return cuts;
  }

 private:
  /// A block may end early if all enclosing blocks may and no alternative follows it.
  void FindCuttable() {
    std::map<size_t, size_t> last_of_group;
    for (size_t b = 0; b < structure_.blocks.size(); ++b) {
      last_of_group[structure_.blocks[b].group] = b;
    }
    for (size_t b = 0; b < structure_.blocks.size(); ++b) {
      const TacticBlock& block = structure_.blocks[b];
      bool may_end = block.kind == BlockKind::kRoot;
      if (!may_end && block.may_end_here && block.parent_step != kNowhere) {
        may_end = cuttable_[structure_.steps[block.parent_step].block] &&
                  (block.group == kNowhere || last_of_group[block.group] == b);
      }
      cuttable_.push_back(may_end);
    }
  }

  CutPoint CutAfter(size_t s) const {
    const TacticStep& step = structure_.steps[s];
    CutPoint cut;
    cut.end = tokens_[step.last].end;
    const auto next =
        std::find_if(structure_.steps.begin() + static_cast<long>(s), structure_.steps.end(),
                     [&](const TacticStep& other) { return other.first > step.last; });
    const bool is_last = next == structure_.steps.end();
    if (!is_last) cut.next = tokens_[next->first].begin;
    cut.around = Around(is_last ? step.block : next->block);
    return cut;
  }

  std::vector<EnclosingTactic> Around(size_t block) const {
    std::vector<EnclosingTactic> around;
    while (structure_.blocks[block].parent_step != kNowhere) {
      const TacticStep& step = structure_.steps[structure_.blocks[block].parent_step];
      around.push_back(
          {.begin = tokens_[step.first].begin, .head = Head(step.first, structure_.blocks[block])});
      block = step.block;
    }
    std::reverse(around.begin(), around.end());
    return around;
  }

  std::string Head(size_t first, const TacticBlock& block) const {
    const size_t intro = std::max(block.intro, first);
    if (block.kind == BlockKind::kAlternative) {
      for (size_t t = intro; t > first; --t) {
        if (TextOf(text_, tokens_[t]) != "|") continue;
        first = t;
        break;
      }
    }
    std::string head;
    for (size_t t = first; t <= intro; ++t) {
      if (t > first) head += ' ';
      head += TextOf(text_, tokens_[t]);
    }
    return head;
  }

  const std::string_view text_;
  const std::vector<Token> tokens_;
  const TacticStructure structure_;
  std::vector<bool> cuttable_;  // by block
};

}  // namespace

std::vector<CutPoint> CutPoints(std::string_view tactics) { return Cutter(tactics).Run(); }

size_t FirstSorry(std::string_view tactics) {
  const auto tokens = LexCode(tactics);
  size_t first = kNowhere;
  for (const Hole& hole : AnalyzeTactics(tactics, tokens).holes) {
    first = std::min(first, hole.begin);
  }
  return first;
}

}  // namespace zermelo::syntax
