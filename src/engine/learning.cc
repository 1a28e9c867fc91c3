#include "engine/learning.h"

#include "engine/recorded_run.h"

namespace zermelo::engine {

namespace fs = std::filesystem;

void Learning::ApplyTo(ProveRequest& request) const {
  request.learned = knowledge.get();
  request.place = place;
}

Learning LearningFor(const LearningRequest& request) {
  const fs::path file = fs::absolute(request.file).lexically_normal();
  const fs::path learned = LearnedFile(file);
  const fs::path folder = learned.parent_path();
  Learning learning;
  learning.knowledge = std::make_unique<learn::Knowledge>();
  learning.place = file.lexically_relative(folder.parent_path()).string();
  if (!request.reads) return learning;
  if (auto read = learning.knowledge->Read(learned); !read) {
    learning.note = "nothing is learned: " + read.error().message;
    return learning;
  }
  std::error_code none;
  if (request.makes_folder || fs::exists(folder, none)) learning.knowledge->KeepIn(learned);
  return learning;
}

}  // namespace zermelo::engine
