// Which tensors a model has, by Hugging Face's names.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/error.h"
#include "decoder/decoder_config.h"
#include "decoder/safetensors.h"

namespace zermelo::decoder {

using TensorShapes = std::map<std::string, std::vector<size_t>, std::less<>>;

/// The shapes of all tensors of a model.
TensorShapes ShapesOf(const DecoderConfig& config);

/// Checks that the tensors are those of a model, and removes those that some programs write
/// although they duplicate another. kInput with the first that is missing, unknown or of another
/// shape.
core::Status CheckTensors(const DecoderConfig& config, Tensors& tensors);

}  // namespace zermelo::decoder
