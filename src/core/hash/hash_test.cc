#include "core/hash/hash.h"

#include <gtest/gtest.h>

#include "core/hash/sha256.h"

namespace zermelo::core {
namespace {

// Values of the reference implementation.
TEST(HashTest, ValuesAreThoseOfFnv1a) {
  EXPECT_EQ(Hash64(""), 0xCBF29CE484222325U);
  EXPECT_EQ(Hash64("a"), 0xAF63DC4C8601EC8CU);
  EXPECT_EQ(Hash64("foobar"), 0x85944171F73967E8U);
  EXPECT_EQ(HexHash64("foobar"), "85944171f73967e8");
}

TEST(HashTest, ASeedContinuesAHash) { EXPECT_EQ(Hash64("bar", Hash64("foo")), Hash64("foobar")); }

TEST(HashTest, BytesAbove127AreUnsigned) {
  EXPECT_EQ(Hash64("ℝ"), Hash64("\x9D", Hash64("\x84", Hash64("\xE2"))));
  EXPECT_EQ(HexHash64("\xFF"), "af64724c8602eb6e");
}

TEST(Sha256, IsThatOfFips180) {  // FIPS 180-4's example
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Base64("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
  Sha256 in_parts;
  in_parts.Add("a");
  in_parts.Add("bc");
  EXPECT_EQ(in_parts.Hex(), Sha256Hex("abc"));
}

}  // namespace
}  // namespace zermelo::core
