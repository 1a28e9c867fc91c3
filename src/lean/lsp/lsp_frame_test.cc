#include "lean/lsp/lsp_frame.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace zermelo::lean {
namespace {

using core::ErrorCode;

/// All frames available now; if the stream is broken, the error goes to `broken`.
std::vector<std::string> Drain(FrameParser& parser, std::optional<core::Error>* broken = nullptr) {
  std::vector<std::string> frames;
  for (;;) {
    auto frame = parser.Next();
    if (!frame && broken != nullptr) *broken = frame.error();
    if (!frame || !*frame) return frames;
    frames.push_back(**frame);
  }
}

/// The error with which a stream of these bytes breaks, if it does.
std::optional<core::Error> BrokenBy(std::string_view bytes, size_t max_frame = 64U << 20U) {
  FrameParser parser(max_frame);
  parser.Feed(bytes);
  std::optional<core::Error> broken;
  Drain(parser, &broken);
  return broken;
}

TEST(EncodeFrame, CountsBytes) {
  EXPECT_EQ(EncodeFrame("{}"), "Content-Length: 2\r\n\r\n{}");
  EXPECT_EQ(EncodeFrame("\"α\""), "Content-Length: 4\r\n\r\n\"α\"");
  EXPECT_EQ(EncodeFrame(""), "Content-Length: 0\r\n\r\n");
}

TEST(FrameParser, ReadsWhatEncodeFrameWrites) {
  FrameParser parser;
  parser.Feed(EncodeFrame("first") + EncodeFrame("") + EncodeFrame("𝒜 third"));
  EXPECT_EQ(Drain(parser), (std::vector<std::string>{"first", "", "𝒜 third"}));
}

TEST(FrameParser, ReadsByteByByte) {
  const std::string stream = "noise\n" + EncodeFrame("one") + "\n" + EncodeFrame("two");
  FrameParser parser;
  std::vector<std::string> frames;
  for (const char c : stream) {
    parser.Feed({&c, 1});
    for (auto& frame : Drain(parser)) frames.push_back(frame);
  }
  EXPECT_EQ(frames, (std::vector<std::string>{"one", "two"}));
}

TEST(FrameParser, ChunkBoundariesDoNotMatter) {
  std::mt19937 random(1);
  std::string stream;
  std::vector<std::string> expected;
  for (int i = 0; i < 300; ++i) {
    std::string body(random() % 300, 'x');
    for (char& c : body) c = static_cast<char>(random());
    if (i % 5 == 0) stream += "Content-Len garbage \r\n\r\n";
    stream += EncodeFrame(body);
    expected.push_back(body);
  }
  for (int round = 0; round < 20; ++round) {
    FrameParser parser;
    std::vector<std::string> frames;
    for (size_t at = 0; at < stream.size();) {
      const size_t length = 1 + random() % (round % 2 == 0 ? 7 : 5000);
      parser.Feed(std::string_view(stream).substr(at, length));
      at += length;
      for (auto& frame : Drain(parser)) frames.push_back(frame);
    }
    ASSERT_EQ(frames, expected) << "round " << round;
  }
}

TEST(FrameParser, ABodyMayLookLikeAHeader) {
  FrameParser parser;
  parser.Feed(EncodeFrame(EncodeFrame("inner")));
  EXPECT_EQ(Drain(parser), std::vector<std::string>{EncodeFrame("inner")});
}

TEST(FrameParser, OtherHeaderFieldsAreIgnored) {
  FrameParser parser;
  parser.Feed("Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
  parser.Feed("Content-Length: 3\r\nContent-Type: application/json\r\n\r\n[1]");
  EXPECT_EQ(Drain(parser), (std::vector<std::string>{"{}", "[1]"}));
}

TEST(FrameParser, AnIncompleteFrameWaits) {
  FrameParser parser;
  parser.Feed("Content-Length: 4\r\n\r\nabc");
  EXPECT_TRUE(Drain(parser).empty());
  parser.Feed("d");
  EXPECT_EQ(Drain(parser), std::vector<std::string>{"abcd"});
}

TEST(FrameParser, InvalidLengthsBreakTheStream) {
  for (const char* length : {"-1", "x", "", " 5", "5x", "0x10", "1e3", "+5", "18446744073709551616",
                             "99999999999999999999", "99999999999999999999999999999999"}) {
    const auto broken = BrokenBy(std::string("Content-Length: ") + length + "\r\n\r\n{}");
    ASSERT_TRUE(broken) << length;
    EXPECT_EQ(broken->code, ErrorCode::kCrashed);
  }
}

TEST(FrameParser, TheLargestFrameIsAllowedAndOneByteMoreIsNot) {
  EXPECT_FALSE(BrokenBy(EncodeFrame(std::string(100, 'x')), 100));
  EXPECT_TRUE(BrokenBy("Content-Length: 101\r\n\r\n", 100));
  EXPECT_TRUE(BrokenBy("Content-Length: 18446744073709551615\r\n\r\n"));
}

TEST(FrameParser, AnAnnouncedGigabyteIsRefusedBeforeItArrives) {
  const auto broken = BrokenBy("Content-Length: 1000000000\r\n\r\n");
  ASSERT_TRUE(broken);
  EXPECT_NE(broken->message.find("1000000000 bytes"), std::string::npos);
}

TEST(FrameParser, GarbageIsSkippedUpToItsLimit) {
  FrameParser parser;
  parser.Feed(std::string(FrameParser::kMaxGarbage - 100, 'g'));
  EXPECT_TRUE(Drain(parser).empty());
  parser.Feed(EncodeFrame("frame"));
  EXPECT_EQ(Drain(parser), std::vector<std::string>{"frame"});
}

TEST(FrameParser, EachFrameResetsTheGarbageCount) {
  FrameParser parser;
  for (int i = 0; i < 4; ++i) {
    parser.Feed(std::string(FrameParser::kMaxGarbage / 2, 'g') + EncodeFrame("frame"));
    EXPECT_EQ(Drain(parser).size(), 1u);
  }
}

TEST(FrameParser, TooMuchGarbageBreaksTheStreamWholeOrInPieces) {
  const std::string garbage(FrameParser::kMaxGarbage + 100, 'g');
  EXPECT_TRUE(BrokenBy(garbage + EncodeFrame("frame"))) << "at once";
  FrameParser parser;
  std::optional<core::Error> broken;
  for (size_t at = 0; at < garbage.size() && !broken; at += 65536) {
    parser.Feed(std::string_view(garbage).substr(at, 65536));
    Drain(parser, &broken);
  }
  EXPECT_TRUE(broken) << "in pieces";
}

TEST(FrameParser, ABrokenStreamStaysBroken) {
  for (const std::string& bad : {std::string(FrameParser::kMaxGarbage + 100, 'g'),
                                 std::string("Content-Length: x\r\n\r\n")}) {
    FrameParser parser;
    parser.Feed(bad);
    EXPECT_FALSE(parser.Next());
    parser.Feed(EncodeFrame("frame"));
    EXPECT_FALSE(parser.Next());
  }
}

TEST(FrameParser, AHeaderWithoutAnEndBreaksTheStream) {
  EXPECT_TRUE(BrokenBy("Content-Length: 5\r\n" + std::string(5000, 'h')));
}

TEST(FrameParser, RandomBytesNeverGiveAFrameLargerThanAllowed) {
  std::mt19937 random(2);
  const std::string alphabet = "Content-Length: 0123456789\r\n\r\n{}g-";
  for (int round = 0; round < 2000; ++round) {
    FrameParser parser(50);
    for (int piece = 0; piece < 20; ++piece) {
      std::string bytes;
      if (random() % 3 == 0) {
        bytes = "Content-Length: " + std::to_string(random() % 60) + "\r\n\r\n";
      }
      for (size_t i = random() % 40; i > 0; --i) bytes += alphabet[random() % alphabet.size()];
      parser.Feed(bytes);
      for (const auto& frame : Drain(parser)) ASSERT_LE(frame.size(), 50u);
    }
  }
}

}  // namespace
}  // namespace zermelo::lean
