// Holds the precompiled header that every library reuses.
