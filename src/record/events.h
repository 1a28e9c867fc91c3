// The kinds of events in the record of a run; docs/runs.md lists their fields.
#pragma once

#include <array>
#include <string_view>

namespace zermelo::record::event {

// Decisions of strategies.
inline constexpr std::string_view kStrategyBegun = "strategy_begun";  // whose the next events are
inline constexpr std::string_view kSelected = "selected";         // the node that is expanded next
inline constexpr std::string_view kNodeAdded = "node_added";      // a new state
inline constexpr std::string_view kNodeClosed = "node_closed";    // nothing is left to try there
inline constexpr std::string_view kAttempted = "attempted";       // tactics tried in a state
inline constexpr std::string_view kBackedUp = "backed_up";        // a reward and its node
inline constexpr std::string_view kLemmaProved = "lemma_proved";  // a part of a proof
inline constexpr std::string_view kProofFound = "proof_found";    // Lean accepted it
inline constexpr std::string_view kProofOrigins = "proof_origins";    // who proposed its tactics
inline constexpr std::string_view kGaveUp = "gave_up";                // the end without a proof
inline constexpr std::string_view kSubgoal = "subgoal";               // a theorem to be proved
inline constexpr std::string_view kSubgoalState = "subgoal_state";    // a change of its state
inline constexpr std::string_view kSubgoalUsed = "subgoal_used";      // what it cost so far
inline constexpr std::string_view kSketch = "sketch";                 // a decomposition
inline constexpr std::string_view kSketchRefused = "sketch_refused";  // why it failed
inline constexpr std::string_view kRoundBegun = "round_begun";        // the start of a trajectory
inline constexpr std::string_view kMessage = "message";               // of a conversation
inline constexpr std::string_view kContextCut = "context_cut";        // messages removed from it
inline constexpr std::string_view kSketched = "sketched";             // a sketch and its quality
inline constexpr std::string_view kStatesFailed = "states_failed";    // why Probe took over
inline constexpr std::string_view kStatesRefuted = "states_refuted";  // a proof that Lean rejects
inline constexpr std::string_view kBlueprint = "blueprint";  // state of a lemma of the plan

// External calls.
inline constexpr std::string_view kGenerationBegun = "generated_begun";
inline constexpr std::string_view kGenerated = "generated";  // a model's answer
inline constexpr std::string_view kChecked = "checked";      // Lean's answer
inline constexpr std::string_view kTried = "tried";          // the state server's answer
inline constexpr std::string_view kRetrieved = "retrieved";  // premises found in the library
inline constexpr std::string_view kAdvised = "advised";      // what was learned for a goal
inline constexpr std::string_view kEstimated = "estimated";  // the chances of goals
inline constexpr std::string_view kComputed = "computed";    // output of a model's program
inline constexpr std::string_view kAlarm = "alarm";          // a time limit has passed

// The run.
inline constexpr std::string_view kTheoremBegun = "theorem_begun";
inline constexpr std::string_view kTheoremEnded = "theorem_ended";  // what the search found
inline constexpr std::string_view kSearchEnded = "search_ended";    // what follows is not replayed
inline constexpr std::string_view kProved = "proved";  // acceptance accepted a theorem's proof
inline constexpr std::string_view kFailed = "failed";  // there is no proof, or it was rejected
inline constexpr std::string_view kPlaceFailed = "place_failed";  // of workers elsewhere
inline constexpr std::string_view kInterrupted = "interrupted";
inline constexpr std::string_view kResumed = "resumed";
inline constexpr std::string_view kRewound = "rewound";  // events from `to` on are not replayed

inline constexpr std::array kAll{
    kSelected,    kNodeAdded,       kBackedUp,      kLemmaProved,  kProofFound,   kGaveUp,
    kGenerated,   kGenerationBegun, kChecked,       kAlarm,        kTheoremBegun, kTheoremEnded,
    kProved,      kFailed,          kSearchEnded,   kInterrupted,  kResumed,      kRewound,
    kComputed,    kRetrieved,       kAdvised,       kRoundBegun,   kMessage,      kContextCut,
    kSketched,    kBlueprint,       kSubgoal,       kSubgoalState, kSketch,       kSketchRefused,
    kTried,       kStatesFailed,    kStatesRefuted, kAttempted,    kPlaceFailed,  kNodeClosed,
    kSubgoalUsed, kEstimated,       kStrategyBegun, kProofOrigins};

}  // namespace zermelo::record::event
