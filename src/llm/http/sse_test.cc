#include "llm/http/sse.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace zermelo::llm {
namespace {

using Events = std::vector<std::string>;

/// All events available now. `broken`, if given, receives whether the stream is broken.
Events Drain(SseParser& parser, bool* broken = nullptr) {
  Events events;
  for (;;) {
    auto event = parser.Next();
    if (broken != nullptr) *broken = !event;
    if (!event || !*event) return events;
    events.push_back(**event);
  }
}

Events Parse(std::string_view bytes) {
  SseParser parser;
  parser.Feed(bytes);
  return Drain(parser);
}

TEST(SseParser, GivesTheDataOfEachEvent) {
  EXPECT_EQ(Parse("data: {\"a\": 1}\n\ndata: [DONE]\n\n"), (Events{"{\"a\": 1}", "[DONE]"}));
}

TEST(SseParser, JoinsDataLines) { EXPECT_EQ(Parse("data: a\ndata:b\ndata\n\n"), Events{"a\nb\n"}); }

TEST(SseParser, StripsOneSpaceOnly) { EXPECT_EQ(Parse("data:  a \n\n"), Events{" a "}); }

TEST(SseParser, LineBreaksAreLfCrLfAndCr) {
  EXPECT_EQ(Parse("data: a\r\n\r\ndata: b\r\rdata: c\n\n"), (Events{"a", "b", "c"}));
}

TEST(SseParser, SkipsCommentsOtherFieldsAndEventsWithoutData) {
  EXPECT_EQ(
      Parse(": ping\n\nevent: message\nid: 7\ndata: a\nretry: 3\n\nevent: end\n\nDATA: b\n\n"),
      Events{"a"});
}

TEST(SseParser, SkipsTheByteOrderMarkOfTheStreamOnly) {
  EXPECT_EQ(Parse("\xEF\xBB\xBF"
                  "data: a\n\n\xEF\xBB\xBF"
                  "data: b\n\n"),
            Events{"a"});
}

TEST(SseParser, AnEventIsCompleteAfterItsEmptyLine) {
  SseParser parser;
  parser.Feed("data: a\n");
  EXPECT_EQ(Drain(parser), Events{});
  parser.Feed("\n");
  EXPECT_EQ(Drain(parser), Events{"a"});
}

TEST(SseParser, TheEndOfTheStreamEndsTheLastEvent) {
  SseParser parser;
  parser.Feed("data: a");
  parser.Finish();
  EXPECT_EQ(Drain(parser), Events{"a"});
}

TEST(SseParser, TheSameEventsWhereverTheBytesAreCut) {
  const std::string stream =
      "\xEF\xBB\xBF: hi\r\n\r\ndata: α\ndata: β\r\ndata\r\rdata:\n\nid\n\ndata: [DONE]\r\n\r\n";
  const Events whole = Parse(stream);
  ASSERT_EQ(whole, (Events{"α\nβ\n", "", "[DONE]"}));
  for (size_t first = 0; first <= stream.size(); ++first) {
    for (size_t second = first; second <= stream.size(); ++second) {
      SseParser parser;
      Events events;
      for (const auto& part :
           {stream.substr(0, first), stream.substr(first, second - first), stream.substr(second)}) {
        parser.Feed(part);
        for (auto& event : Drain(parser)) events.push_back(std::move(event));
      }
      ASSERT_EQ(events, whole) << "cut at " << first << " and " << second;
    }
  }
}

TEST(SseParser, GarbageGivesTheSameEventsByteByByte) {
  std::mt19937 random(1);
  const std::string alphabet("data: \r\n\r\n:\xEF\xBB\xBF\xFF\0x", 17);
  for (int round = 0; round < 2000; ++round) {
    std::string garbage;
    for (size_t size = random() % 200; garbage.size() < size;) {
      random() % 4 == 0 ? garbage += "data:" : garbage += alphabet[random() % alphabet.size()];
    }
    SseParser parser;
    Events bytewise;
    for (const char byte : garbage + "\n\n") {
      parser.Feed(std::string_view(&byte, 1));
      for (auto& event : Drain(parser)) bytewise.push_back(std::move(event));
    }
    ASSERT_EQ(Parse(garbage + "\n\n"), bytewise);
  }
}

TEST(SseParser, AnEventThatIsTooLongBreaksTheStreamInOneLineOrMany) {
  for (const std::string& line :
       {std::string("x"), std::string("data: x\n"), std::string("\r\rx")}) {
    SseParser parser(1000);
    bool broken = false;
    for (int i = 0; i < 2000 && !broken; ++i) {
      parser.Feed(line);
      Drain(parser, &broken);
    }
    EXPECT_EQ(broken, line != "\r\rx") << line;
  }
}

}  // namespace
}  // namespace zermelo::llm
