#include "decoder/safetensors.h"

#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::decoder {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string File(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  std::string out(8, '\0');
  std::memcpy(out.data(), &length, sizeof length);
  return out + header + data;
}

std::string ErrorOf(const std::string& bytes) {
  const auto read = ParseSafetensors(bytes, "file");
  return read ? "" : read.error().message;
}

TEST(SafetensorsTest, ConvertsItsThreeTypes) {
  // 1, -2; 1, -2; 1, -2, the smallest half, infinity
  const std::string data(
      "\x00\x00\x80\x3f\x00\x00\x00\xc0\x80\x3f\x00\xc0\x00\x3c\x00\xc0\x01\x00\x00\x7c", 20);
  const auto tensors = ParseSafetensors(
      File(
          R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
          R"("b":{"dtype":"BF16","shape":[2],"data_offsets":[8,12]},)"
          R"("c":{"dtype":"F16","shape":[4],"data_offsets":[12,20]}})",
          data),
      "file");
  ASSERT_TRUE(tensors) << tensors.error().message;
  EXPECT_THAT(tensors->at("a").shape, ElementsAre(1, 2));
  EXPECT_THAT(tensors->at("a").values, ElementsAre(1, -2));
  EXPECT_THAT(tensors->at("b").values, ElementsAre(1, -2));
  EXPECT_THAT(tensors->at("c").values, ElementsAre(1, -2, std::ldexp(1.0F, -24), INFINITY));
}

TEST(SafetensorsTest, DamagedFilesAreRefused) {
  const std::string good = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  const std::string eight(8, '\0');
  EXPECT_EQ(ErrorOf(File(good, eight)), "");
  for (size_t size = 0; size < File(good, eight).size(); ++size) {
    EXPECT_NE(ErrorOf(File(good, eight).substr(0, size)), "") << size << " bytes";
  }
  EXPECT_THAT(ErrorOf(File(good, eight + "x")), HasSubstr("bytes follow the last tensor"));
  EXPECT_THAT(ErrorOf(File("[]", "")), HasSubstr("not a JSON object"));
  EXPECT_THAT(ErrorOf(std::string(8, '\xff') + good), HasSubstr("truncated"));
  const auto with = [&](const std::string& entry) {
    return ErrorOf(File(R"({"a":)" + entry + "}", eight));
  };
  EXPECT_THAT(with("7"), HasSubstr("malformed"));
  EXPECT_THAT(with(R"({"dtype":"F32","shape":[2],"data_offsets":[0]})"), HasSubstr("malformed"));
  EXPECT_THAT(with(R"({"dtype":"I64","shape":[1],"data_offsets":[0,8]})"), HasSubstr("type I64"));
  EXPECT_THAT(with(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})"), HasSubstr("shape"));
  EXPECT_THAT(with(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]})"),
              HasSubstr("shape"));
  EXPECT_THAT(with(R"({"dtype":"F32","shape":[2],"data_offsets":[8,16]})"),
              HasSubstr("ends after"));
  EXPECT_THAT(with(R"({"dtype":"F32","shape":[1],"data_offsets":[4,8]})"),
              HasSubstr("does not begin"));
  EXPECT_THAT(ErrorOf(File(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                           R"("b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
                           eight)),
              HasSubstr("does not begin"));
}

}  // namespace
}  // namespace zermelo::decoder
